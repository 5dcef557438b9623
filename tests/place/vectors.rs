//! Every node of every recorded line: verdict, text, results, pools.

use super::lines::{facts, lean, lines, list, patches, release, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::allocate::{Verdict, allocate};
use claimkit_scheduler::allocator::amount::Amount;
use claimkit_scheduler::allocator::behaviour::{allocator, allocator_named};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Feature, Features};
use claimkit_scheduler::allocator::objects::Claim;
use claimkit_scheduler::allocator::objects::read::read;
use claimkit_scheduler::allocator::pools::{Gatherer, NodePools};
use claimkit_scheduler::allocator::selectors::Cell;
use claimkit_scheduler::allocator::sorted::Sorted;
use serde_json::{Value, json};

/// Most steps of a recorded search are 20,734.
const BUDGET: u64 = 3_000_000;

/// Devices listed as in use, as in upstream's own cases.
fn usage<'f>(
    cluster: &mut Cluster<'f>,
    state: &Value,
    amounts: &'f Sorted<String, Sorted<String, Amount>>,
) {
    let identity = |cluster: &Cluster<'_>, text: &str| {
        let text = text.split('#').next().unwrap();
        let (driver, rest) = text.split_once('/').unwrap();
        let (pool, device) = rest.rsplit_once('/').unwrap();
        cluster.identity_of((driver, pool, device))
    };
    for (key, shared) in [("devices", false), ("shared", true)] {
        for device in list(state, key) {
            if let Some(identity) = identity(cluster, device.as_str().unwrap()) {
                let set = if shared {
                    &mut cluster.usage.shared
                } else {
                    &mut cluster.usage.exclusive
                };
                set.insert(identity);
            }
        }
    }
    for (device, consumed) in amounts.iter() {
        if let Some(identity) = identity(cluster, device) {
            let driver = device.split('/').next();
            let driver = driver.filter(|_| cluster.behaviour.qualified_capacities);
            cluster.usage.consume(identity, consumed, driver);
        }
    }
}

fn pools(cluster: &Cluster<'_>, gathered: &NodePools<'_>) -> Value {
    let names = |slices: &[usize]| -> Vec<&str> {
        slices
            .iter()
            .map(|at| cluster.slice(*at).unwrap().metadata.name.as_str())
            .collect()
    };
    let pool = |pool: &claimkit_scheduler::allocator::pools::Pool<'_>| {
        let devices: Vec<&str> = pool
            .devices
            .iter()
            .flat_map(|at| cluster.devices_of(*at))
            .map(|(_, device)| device.name.as_str())
            .collect();
        json!({
            "pool": pool.id(), "incomplete": pool.incomplete.then_some(true), "invalid": pool.invalid.is_some().then_some(true),
            "reason": pool.invalid, "slices": names(&pool.devices), "others": names(&pool.others), "devices": devices,
        })
    };
    Value::Array(gathered.pools.iter().map(|one| pool(one)).collect())
}

/// Rows of the matrix that differ.
fn matrix(cluster: &Cluster<'_>, line: &Value, claims: &[&Claim]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rows = list(line, "matrix").iter();
    let devices: Vec<_> = (0..cluster.facts.slices.len())
        .flat_map(|slice| cluster.devices_of(slice))
        .collect();
    for claim in claims {
        for request in &claim.spec.devices.requests {
            let asks = if request.first_available.is_empty() {
                request.exactly.as_slice()
            } else {
                &request.first_available
            };
            for ask in asks {
                let row = rows.next().unwrap();
                let class = cluster
                    .class(&ask.device_class_name)
                    .map_or(&[][..], |class| class.spec.selectors.as_slice());
                for (kind, selectors) in [("class", class), ("own", &ask.selectors)] {
                    for (index, selector) in selectors
                        .iter()
                        .enumerate()
                        .filter(|(_, selector)| selector.cel.is_some())
                    {
                        let mut letters = String::new();
                        for (flat, (at, device)) in devices.iter().enumerate() {
                            let cell = cluster.ask(selector, *at).unwrap();
                            let key = match cell {
                                Cell::CompileError => format!("{kind}/{index}"),
                                _ => format!("{kind}/{index}/{flat}"),
                            };
                            let words = cluster.selector_error(selector, *at);
                            let words = words.split_once(": ").map_or("", |(_, words)| words);
                            letters.push(match cell {
                                Cell::CompileError => '!',
                                _ if device.shapeless => '-',
                                Cell::Yes => 'T',
                                Cell::No => 'F',
                                Cell::RuntimeError => 'E',
                            });
                            if matches!(cell, Cell::CompileError | Cell::RuntimeError)
                                && !device.shapeless
                                && words != row["errors"][&key]
                            {
                                wrong.push(format!(
                                    "{key}: {words} instead of {}",
                                    row["errors"][&key]
                                ));
                            }
                        }
                        let letters = if letters.contains('!') {
                            "!".to_owned()
                        } else {
                            letters
                        };
                        if row[kind][index] != letters.as_str() {
                            wrong.push(format!(
                                "{} {kind}/{index}: {letters} instead of {}",
                                row["request"], row[kind][index]
                            ));
                        }
                    }
                }
            }
        }
    }
    wrong
}

/// Checks a file; gives the number of nodes.
fn check(file: &str, every: usize) -> (usize, usize) {
    check_edited(file, every, |_| ())
}

/// Checks lines after edits that must not change an answer.
fn check_edited(file: &str, every: usize, edit: impl Fn(&mut Value)) -> (usize, usize) {
    let lines = lines(file, every).map(|mut line| {
        edit(&mut line);
        line
    });
    check_lines(file, lines)
}

fn check_lines(file: &str, lines: impl Iterator<Item = Value>) -> (usize, usize) {
    let (mut nodes, mut cells) = (0, 0);
    let mut wrong = Vec::new();
    for line in lines {
        let facts = facts(&line);
        let (minor, patch) = release(&line);
        let features: Features = list(&line, "features")
            .iter()
            .map(|name| Feature::parse(name.as_str().unwrap()).unwrap())
            .collect();
        let behaviour = allocator_named(minor, patch, text(&line, "allocator")).unwrap();
        let first = allocator(minor, patch, &features).unwrap();
        // Upstream's own cases run every implementation that supports the features.
        if !text(&line, "id").starts_with("upstream/")
            && first.allocator != behaviour.allocator
            && !file.starts_with("probes")
        {
            wrong.push(format!(
                "{} allocator {} instead of {}",
                line["id"], first.allocator, behaviour.allocator
            ));
        }
        let engine = CelSelectors::new(
            Release::last_of(minor),
            features.contains(&Feature::ListTypeAttributes) || line["celLists"] == true,
        );
        let amounts: Sorted<String, Sorted<String, Amount>> =
            read(&line["state"]["capacity"]).unwrap_or_default();
        let mut cluster = Cluster::new(&facts, behaviour, &features, &engine);
        usage(&mut cluster, &line["state"], &amounts);
        let claims: Vec<&Claim> = facts
            .claims
            .iter()
            .map(|claim| &**claim)
            .filter(|claim| claim.status.allocation.is_none())
            .collect();
        let gatherer = Gatherer::new(&cluster);
        for (at, node) in facts.nodes.iter().enumerate() {
            let answer = &line["answers"][&node.metadata.name];
            let gathered = gatherer.gather(at);
            // Additional pools that cannot matter change nothing.
            let outcome = allocate(&cluster, at, &gatherer.gather_near(at), &claims, BUDGET);
            let got = match &outcome.verdict {
                Verdict::Allocated(results) => json!({"verdict": "allocated", "results": results}),
                Verdict::Nothing => json!({"verdict": "none"}),
                Verdict::Fatal(error) => json!({"verdict": "error", "error": error}),
                Verdict::OfNode(error) => json!({"verdict": "node-error", "error": error}),
                Verdict::Panic(words) => {
                    json!({"verdict": "panic", "error": format!("PANIC: {words}")})
                }
                Verdict::Undecided => json!({"verdict": "undecided"}),
            };
            let want = json!({"verdict": answer["verdict"], "error": answer["error"], "results": answer["results"]});
            nodes += 1;
            if lean(&got) != lean(&want) {
                wrong.push(format!(
                    "{} {}\n  got  {}\n  want {}",
                    line["id"],
                    node.metadata.name,
                    lean(&got),
                    lean(&want)
                ));
            }
            if let Ok(gathered) = &gathered {
                let (got, want) = (lean(&pools(&cluster, gathered)), lean(&answer["pools"]));
                if got != want && !(got == json!([]) && want.is_null()) {
                    wrong.push(format!(
                        "{} {} pools\n  got  {got}\n  want {want}",
                        line["id"], node.metadata.name
                    ));
                }
            }
        }
        if !list(&line, "matrix").is_empty() {
            cells += 1;
            wrong.extend(
                matrix(&cluster, &line, &claims)
                    .into_iter()
                    .map(|text| format!("{} {text}", line["id"])),
            );
        }
    }
    println!(
        "{file}: {nodes} nodes, {cells} matrices, {} differences",
        wrong.len()
    );
    let shown: Vec<&str> = wrong.iter().take(12).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{file}: {} of {nodes} differ\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(nodes > 20, "{file} has too few lines");
    (nodes, cells)
}

#[test]
fn release_1_31() {
    check("1.31.14", 1);
}

/// `structured.NewAllocator` of 1.31.14 has no parameter for the admin access gate.
#[test]
fn release_1_31_has_no_features() {
    check_edited("1.31.14", 1, |line| line["features"] = json!([]));
}

#[test]
fn release_1_32() {
    check("1.32.13", 1);
}

#[test]
fn release_1_33() {
    check("1.33.13", 1);
}

#[test]
fn release_1_34() {
    check("1.34.9", 1);
}

#[test]
fn release_1_35() {
    check("1.35.6", 1);
}

#[test]
fn release_1_36() {
    check("1.36.3", 4);
}

#[test]
fn probes() {
    check("probes", 1);
}

#[test]
fn release_1_37() {
    check("1.37.2", 4);
}

#[test]
fn release_1_38() {
    check("1.38.0-beta.0", 1);
}

#[test]
fn probes_of_1_37() {
    check("probes-1.37.2", 1);
}

#[test]
fn patches_answer_by_their_own_rules() {
    check_lines("patches", patches());
}
