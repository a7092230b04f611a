//! Whole replicas and whole instances.

use crate::{price::Sells, text::Notice};

/// What must run, and what must be bought for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fleet {
    /// Replicas that carry the load.
    pub replicas: u64,
    /// Instances bought.
    pub instances: u64,
    /// Accelerators of one bought instance.
    pub per_instance: u32,
}

impl Fleet {
    /// Accelerators bought.
    #[must_use]
    pub fn accelerators(&self) -> u64 {
        self.instances * u64::from(self.per_instance)
    }
}

/// More than any fleet; with every instance size there is, counts stay exact far beyond it.
const MOST_REPLICAS: f64 = 1e9;

/// Replicas for a rate, at least one; `None` for more than there could be.
#[must_use]
pub fn replicas_for(rate_per_s: f64, largest_rate_per_s: f64) -> Option<u64> {
    // A quotient that only rounding has put above a whole number is that number.
    let exact = rate_per_s / largest_rate_per_s * (1.0 - 1e-12);
    (exact <= MOST_REPLICAS).then(|| (exact.ceil() as u64).max(1))
}

/// The instances that hold `replicas` of `accelerators` each. A replica lies within one instance.
///
/// # Errors
/// An offer whose largest instance is too small for one replica.
pub fn buy(sells: &Sells, replicas: u64, accelerators: u32) -> Result<Fleet, Notice> {
    let Sells::Accelerators {
        per_instance,
        up_to,
        ..
    } = *sells
    else {
        return Ok(Fleet {
            replicas,
            instances: 0,
            per_instance: 0,
        });
    };
    if accelerators > up_to {
        return Err(Notice::new(
            "instance-too-small",
            format!(
                "A replica needs {accelerators} accelerators in one machine; the largest in the price table has {up_to}."
            ),
            format!(
                "每个副本需要同一台机器上的 {accelerators} 张卡；价格表中最大的实例为 {up_to} 张。"
            ),
        ));
    }
    // Sizes are sold in multiples of the smallest.
    let per_instance = accelerators.div_ceil(per_instance) * per_instance;
    let replicas_each = u64::from(per_instance / accelerators).max(1);
    Ok(Fleet {
        replicas,
        instances: replicas.div_ceil(replicas_each),
        per_instance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sells(per_instance: u32, up_to: u32) -> Sells {
        Sells::Accelerators {
            accelerator: None,
            per_instance,
            up_to,
            seconds: None,
        }
    }

    fn bought(per_instance: u32, up_to: u32, replicas: u64, accelerators: u32) -> (u64, u64) {
        let fleet = buy(&sells(per_instance, up_to), replicas, accelerators).unwrap();
        (fleet.instances, fleet.accelerators())
    }

    #[test]
    fn rates_round_up_to_whole_replicas() {
        assert_eq!(replicas_for(0.0, 2.0), Some(1));
        assert_eq!(replicas_for(2.0, 2.0), Some(1));
        assert_eq!(
            replicas_for(0.3, 0.1),
            Some(3),
            "0.3 / 0.1 is 2.9999999999999996 or 3, never 4"
        );
        assert_eq!(replicas_for(2.1, 2.0), Some(2));
        assert_eq!(replicas_for(1.0, 1e-300), None);
        assert_eq!(replicas_for(1.0, 0.0), None);
    }

    #[test]
    fn instances_sold_by_eight_are_bought_by_eight() {
        // 2.3 replicas of four accelerators: three, so twelve used and sixteen bought.
        assert_eq!(bought(8, 8, replicas_for(2.3, 1.0).unwrap(), 4), (2, 16));
        assert_eq!(bought(1, 8, 3, 4), (3, 12));
        assert_eq!(bought(1, 1, 3, 1), (3, 3));
        assert_eq!(bought(8, 8, 9, 1), (2, 16));
        assert_eq!(bought(8, 8, 2, 3), (1, 8), "two threes fit in eight");
    }

    #[test]
    fn a_replica_does_not_span_machines() {
        assert_eq!(
            buy(&sells(1, 4), 1, 8).unwrap_err().code,
            "instance-too-small"
        );
    }
}
