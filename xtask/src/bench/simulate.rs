//! `cargo xtask bench simulate`: the simulator beside SimPy and Ciw on the same M/M/10.

use std::{path::PathBuf, process::Command};

use crate::{
    Error,
    run::{cargo, output, run, say, target},
};

/// Ten servers of rate 1 at 80%: customers a second, and the mean wait to compare (0.204590 s).
const SIMPY: &str = r#"
import random, time, simpy
random.seed(1)
N = 200_000
waits = []
def customer(env, servers):
    came = env.now
    with servers.request() as place:
        yield place
        waits.append(env.now - came)
        yield env.timeout(random.expovariate(1))
def source(env, servers):
    for _ in range(N):
        yield env.timeout(random.expovariate(8))
        env.process(customer(env, servers))
began = time.perf_counter()
env = simpy.Environment()
env.process(source(env, simpy.Resource(env, 10)))
env.run()
seconds = time.perf_counter() - began
print(f"{'SimPy, M/M/10 at 80%':<34} {'':>23} {N / seconds / 1e6:>6.3f} million customers/s   mean wait {sum(waits) / N:.6f} s")
"#;
const CIW: &str = r#"
import time, ciw
ciw.seed(1)
N = 100_000
network = ciw.create_network(arrival_distributions=[ciw.dists.Exponential(8)], service_distributions=[ciw.dists.Exponential(1)], number_of_servers=[10])
began = time.perf_counter()
simulation = ciw.Simulation(network)
simulation.simulate_until_max_customers(N)
seconds = time.perf_counter() - began
waits = [record.waiting_time for record in simulation.get_all_records()]
print(f"{'Ciw, M/M/10 at 80%':<34} {'':>23} {N / seconds / 1e6:>6.3f} million customers/s   mean wait {sum(waits) / len(waits):.6f} s")
"#;

/// Runs each in turn.
///
/// # Errors
/// A build that fails.
pub fn simulate() -> Result<(), Error> {
    run(cargo().args([
        "bench",
        "--quiet",
        "--package",
        "inferplan-tests",
        "--bench",
        "simulate",
    ]))?;
    match python() {
        Ok(python) => {
            run(Command::new(&python).args(["-c", SIMPY]))?;
            run(Command::new(&python).args(["-c", CIW]))
        }
        Err(error) => {
            say(&format!("Left out: SimPy and Ciw ({error})"));
            Ok(())
        }
    }
}

/// A Python that has both, in an environment of the target folder.
fn python() -> Result<PathBuf, Error> {
    let folder = target().join("tools/simulators");
    let python = folder.join("bin/python");
    let works = || output(&python.to_string_lossy(), &["-c", "import simpy, ciw"]).is_some();
    if works() {
        return Ok(python);
    }
    say("Installing simpy and ciw to compare with; half a minute");
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "simpy",
        "ciw",
    ];
    run(Command::new(&python).args(install))?;
    if works() {
        Ok(python)
    } else {
        Err("they installed but do not start".to_owned())
    }
}
