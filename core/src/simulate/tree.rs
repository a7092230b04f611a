//! Who is next: a tournament over a fixed number of keys.

/// The smallest of many keys, with a change in log time.
pub(super) struct Tree {
    keys: Vec<f64>,
    /// The winner below each node; the root is at 1, the leaves at `leaves` and after.
    winners: Vec<u32>,
    leaves: usize,
}

impl Tree {
    /// All keys at infinity.
    pub(super) fn new(count: usize) -> Self {
        let leaves = count.max(1).next_power_of_two();
        let mut winners = vec![0; 2 * leaves];
        for (i, winner) in winners[leaves..].iter_mut().enumerate() {
            *winner = i as u32;
        }
        for node in (1..leaves).rev() {
            winners[node] = winners[2 * node];
        }
        Self {
            keys: vec![f64::INFINITY; leaves],
            winners,
            leaves,
        }
    }

    pub(super) fn set(&mut self, i: usize, key: f64) {
        self.keys[i] = key;
        let mut node = (self.leaves + i) / 2;
        while node > 0 {
            let (a, b) = (self.winners[2 * node], self.winners[2 * node + 1]);
            let first = self.keys[a as usize] <= self.keys[b as usize];
            self.winners[node] = if first { a } else { b };
            node /= 2;
        }
    }

    /// The smallest key and whose it is; the lowest index of equal ones.
    pub(super) fn first(&self) -> (f64, usize) {
        let winner = self.winners[1] as usize;
        (self.keys[winner], winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_the_smallest_however_keys_change() {
        for count in [1, 2, 3, 7, 8, 33] {
            let mut tree = Tree::new(count);
            let mut keys = vec![f64::INFINITY; count];
            for step in 0..500_usize {
                let (i, key) = (step * 31 % count, ((step * 7919) % 101) as f64);
                keys[i] = key;
                tree.set(i, key);
                let least = keys.iter().copied().fold(f64::INFINITY, f64::min);
                let at = keys.iter().position(|key| *key == least).unwrap();
                assert_eq!(tree.first(), (least, at));
            }
        }
    }
}
