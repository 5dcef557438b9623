//! What the real kube-scheduler did with several pods in one cluster, played step by step as it was recorded.

use crate::support::placing::{self, Answered, Question};
use crate::support::recorded_lines;
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::objects::{Claim, Consumer, Facts, Pod};
use claimkit_scheduler::scheduler;
use claimkit_scheduler::scheduler::outcome::{PodDecision, PodOutcome};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

const RELEASE: Release = Release::new(37, 2);

/// A cluster that is played forward.
struct Play {
    facts: Facts,
    question: Question,
    /// What each pod was first told.
    first: BTreeMap<String, Value>,
    last: BTreeMap<String, Value>,
    groups: BTreeMap<String, Option<String>>,
    /// Claims of pods and groups by their name here.
    names: BTreeMap<String, String>,
    extended: BTreeMap<String, Value>,
    events: Vec<(String, String)>,
}

fn read(objects: &[&Value]) -> Facts {
    let mut text = String::new();
    for object in objects {
        let mut object = (*object).clone();
        if object["metadata"]["deletionTimestamp"] == "now" {
            object["metadata"]["deletionTimestamp"] = json!("2026-11-25T00:00:00Z");
        }
        text.push_str("---\n");
        text.push_str(&object.to_string());
        text.push('\n');
    }
    placing::read(&text, RELEASE, "default")
}

impl Play {
    fn new(scenario: &Value) -> Self {
        let gates = scenario["gates"].as_str().unwrap_or_default();
        let gates = gates
            .split(',')
            .filter_map(|one| one.split_once('='))
            .map(|(name, on)| (name.to_owned(), on == "true"));
        let question = Question::new(Some(RELEASE), &gates.collect()).unwrap();
        Play {
            facts: Facts::default(),
            question,
            first: BTreeMap::new(),
            last: BTreeMap::new(),
            groups: BTreeMap::new(),
            names: BTreeMap::new(),
            extended: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    fn add(&mut self, objects: &[&Value]) {
        let mut new = read(objects);
        // Objects are created a moment after each other; only pauses are told from the timestamps of the server.
        for class in &mut new.classes {
            if let Some(at) = objects.iter().find_map(|object| object["at"].as_str()) {
                Rc::make_mut(class).metadata.creation_timestamp = Some(at.to_owned());
            }
        }
        // No controller makes pods: a workload is only there to be read by the scheduler.
        for workload in &mut new.workloads {
            Rc::make_mut(workload).metadata.uid = "recorded".to_owned();
        }
        self.facts.overlay(new);
    }

    /// The scheduler runs until nothing changes.
    fn run(&mut self) {
        let before: Vec<String> = self
            .facts
            .pods
            .iter()
            .map(|pod| pod.metadata.name.clone())
            .collect();
        let Answered {
            facts, simulation, ..
        } = placing::place(self.facts.clone(), &self.question).unwrap();
        assert_eq!(
            before,
            facts
                .pods
                .iter()
                .map(|pod| pod.metadata.name.clone())
                .collect::<Vec<_>>()
        );
        for outcome in &simulation.pods {
            let pod = &facts.pods[outcome.pod];
            let told = self.answer(&facts, pod, outcome, &simulation);
            let name = pod.metadata.name.clone();
            self.first
                .entry(name.clone())
                .or_insert_with(|| told.clone());
            self.last.insert(name, told);
        }
        for group in &simulation.groups {
            let name = facts.pod_groups[group.group].metadata.name.clone();
            if group.refused.is_some() && self.groups.get(&name) == Some(&None) {
                continue;
            }
            self.groups.insert(name, group.refused.clone());
        }
        self.facts = scheduler::commit(&facts, &simulation);
        self.name_claims();
    }

    fn name_claims(&mut self) {
        for pod in &self.facts.pods {
            for status in pod.status.resource_claim_statuses.iter().flatten() {
                let Some(claim) = &status.resource_claim_name else {
                    continue;
                };
                self.names
                    .entry(claim.clone())
                    .or_insert_with(|| format!("{}/{}", pod.metadata.name, status.name));
            }
        }
        for group in &self.facts.pod_groups {
            for status in &group.status.resource_claim_statuses {
                let Some(claim) = &status.resource_claim_name else {
                    continue;
                };
                self.names.insert(
                    claim.clone(),
                    format!("{}/{}", group.metadata.name, status.name),
                );
            }
        }
    }

    fn tidy(&self, facts: &Facts, text: &str) -> String {
        let mut text = text.to_owned();
        for pod in &facts.pods {
            for status in pod.status.resource_claim_statuses.iter().flatten() {
                if let Some(claim) = &status.resource_claim_name {
                    text = text.replace(
                        claim.as_str(),
                        &format!("<{}/{}>", pod.metadata.name, status.name),
                    );
                }
            }
        }
        text
    }

    fn answer(
        &mut self,
        facts: &Facts,
        pod: &Pod,
        outcome: &PodOutcome,
        simulation: &claimkit_scheduler::scheduler::Simulation,
    ) -> Value {
        let node = |at: usize| facts.nodes[at].metadata.name.clone();
        let mut answer = match outcome.decisions.last().unwrap() {
            PodDecision::Bound { node: at, .. } => {
                json!({"node": node(*at), "message": null, "phaseReason": null})
            }
            PodDecision::Preparing { node: at, .. } => {
                json!({"node": null, "message": null, "phaseReason": null, "notConsidered": true, "nominatedNodeName": node(*at)})
            }
            PodDecision::NotKnown(unknown) => panic!("{unknown:?}"),
            PodDecision::NotConsidered(_) => {
                json!({"node": null, "message": null, "phaseReason": null, "notConsidered": true})
            }
            PodDecision::Gated => {
                let message = "Scheduling is blocked due to non-empty scheduling gates";
                json!({"node": null, "message": message, "phaseReason": "SchedulingGated"})
            }
            PodDecision::Unschedulable(failure) => {
                let message = self.tidy(facts, &failure.message);
                let mut told =
                    json!({"node": null, "message": message, "phaseReason": "Unschedulable"});
                if let Some(at) = failure.nominated {
                    told["nominatedNodeName"] = json!(node(at));
                }
                for victim in &failure.victims {
                    self.events.push((
                        facts.pods[*victim].metadata.name.clone(),
                        node(failure.nominated.unwrap()),
                    ));
                }
                told
            }
            PodDecision::Error(failure) => {
                json!({"node": null, "message": self.tidy(facts, &failure.message), "phaseReason": "SchedulerError"})
            }
        };
        if let Some(extended) = &outcome.extended {
            let name = format!("{}/extended-resources", pod.metadata.name);
            let claim = &simulation.claims[extended.claim].claim;
            self.names.insert(claim.metadata.name.clone(), name.clone());
            let mappings: Vec<Value> = extended
                .mappings
                .iter()
                .map(|one| serde_json::to_value(one).unwrap())
                .collect();
            answer["extendedResourceClaimStatus"] =
                json!({"requestMappings": mappings, "resourceClaimName": format!("<{name}>")});
            let requests = claim.spec.devices.requests.iter().map(|request| {
                let ask = request.exactly.as_ref().unwrap();
                let exactly = json!({
                    "deviceClassName": ask.device_class_name, "allocationMode": ask.allocation_mode, "count": ask.count
                });
                json!({"name": request.name, "exactly": exactly})
            });
            self.extended.insert(name, requests.collect());
        }
        answer
    }

    /// Deletes a pod, or ends it: the controller takes its reservations and what nobody else uses.
    fn end(&mut self, name: &str, delete: bool) {
        for claim in &mut self.facts.claims {
            let claim = Rc::make_mut(claim);
            let used = claim
                .status
                .reserved_for
                .iter()
                .any(|user| user.name == name);
            if used {
                claim.status.reserved_for.retain(|user| user.name != name);
                if claim.status.reserved_for.is_empty() {
                    claim.status.allocation = None;
                }
            }
        }
        let made: Vec<String> = self
            .facts
            .claims
            .iter()
            .filter(|claim| {
                claim
                    .metadata
                    .owner_references
                    .iter()
                    .any(|owner| owner.name == name && owner.kind != "PodGroup")
            })
            .map(|claim| claim.metadata.name.clone())
            .collect();
        self.facts
            .claims
            .retain(|claim| !made.contains(&claim.metadata.name));
        if delete {
            self.facts.pods.retain(|pod| pod.metadata.name != name);
            self.last.insert(name.to_owned(), json!({"gone": true}));
        }
    }

    fn act(&mut self, act: &Value) {
        let list = |name: &str| act[name].as_array().cloned().unwrap_or_default();
        let create = list("create");
        self.add(&create.iter().collect::<Vec<_>>());
        for object in list("delete") {
            match object["kind"].as_str().unwrap() {
                "Pod" => self.end(object["metadata"]["name"].as_str().unwrap(), true),
                other => panic!("deletes {other}"),
            }
        }
        for object in list("status") {
            assert_eq!(
                (&object["kind"], &object["status"]["phase"]),
                (&json!("Pod"), &json!("Succeeded"))
            );
            let name = object["metadata"]["name"].as_str().unwrap();
            self.end(name, false);
            for pod in self
                .facts
                .pods
                .iter_mut()
                .filter(|pod| pod.metadata.name == name)
            {
                Rc::make_mut(pod).status.phase = "Succeeded".to_owned();
            }
        }
        assert!(list("patch").is_empty(), "patch");
        if act.as_object().unwrap().keys().any(|key| key != "seconds") {
            self.run();
        }
    }

    fn claims(&self) -> Map<String, Value> {
        let mut all = Map::new();
        for claim in &self.facts.claims {
            let known = self.names.get(&claim.metadata.name);
            let name = known.unwrap_or(&claim.metadata.name).clone();
            let mut told = claim_answer(claim);
            if let Some(requests) = self.extended.get(&name) {
                told["requests"] = requests.clone();
            }
            all.insert(name, told);
        }
        all
    }
}

fn claim_answer(claim: &Claim) -> Value {
    let users = &claim.status.reserved_for;
    let user = |user: &Consumer| json!(format!("{}/{}", user.resource, user.name));
    let reserved = if users.len() > 8 {
        json!(format!("{} consumers", users.len()))
    } else {
        users.iter().map(user).collect()
    };
    let mut told = json!({"devices": null, "reservedFor": reserved});
    if let Some(allocation) = &claim.status.allocation {
        let devices = allocation.devices.results.iter().map(|result| {
            let mut one =
                json!({"request": result.request, "driver": result.driver, "pool": result.pool, "device": result.device});
            if let Some(admin) = result.admin_access {
                one["adminAccess"] = json!(admin);
            }
            if !result.tolerations.is_empty() {
                one["tolerations"] = serde_json::to_value(&result.tolerations).unwrap();
            }
            for (name, list) in [
                ("bindingConditions", &result.binding_conditions),
                ("bindingFailureConditions", &result.binding_failure_conditions),
            ] {
                if !list.is_empty() {
                    one[name] = json!(list);
                }
            }
            if result.share_id.is_some() {
                one["shareID"] = json!("<random>");
            }
            if let Some(consumed) = &result.consumed_capacity {
                one["consumedCapacity"] = serde_json::to_value(consumed).unwrap();
            }
            one
        });
        told["devices"] = devices.collect();
        if let Some(selector) = &allocation.node_selector {
            told["nodeSelector"] = serde_json::to_value(selector).unwrap();
        }
    }
    if claim.metadata.deletion_timestamp.is_some() {
        told["beingDeleted"] = json!(true);
    }
    told
}

/// The outcome of a scenario, in the shape of the recorded answers; events aside.
fn play(scenario: &Value) -> Value {
    let mut play = Play::new(scenario);
    let objects: Vec<&Value> = scenario["objects"].as_array().unwrap().iter().collect();
    let mut seconds = 0u64;
    let together = scenario["together"] == true;
    for (index, object) in objects.iter().enumerate() {
        seconds += scenario["pauses"][index.to_string()]
            .as_f64()
            .unwrap_or(0.0)
            .ceil() as u64;
        let mut timed = (*object).clone();
        if timed["kind"] == "DeviceClass" {
            timed["at"] = json!(format!("2026-11-25T00:00:{seconds:02}Z"));
        }
        play.add(&[&timed]);
        if !together && object["kind"] == "Pod" {
            play.run();
        }
    }
    if together {
        play.run();
    }
    for act in scenario["acts"].as_array().into_iter().flatten() {
        play.act(act);
    }
    let mut pods = Map::new();
    for object in objects.iter().filter(|object| object["kind"] == "Pod") {
        let name = object["metadata"]["name"].as_str().unwrap();
        let (told, mut last) = match (play.first.get(name), play.last.get(name)) {
            (Some(first), Some(last)) => (first.clone(), last.clone()),
            _ => {
                let placed = object["spec"]["nodeName"].clone();
                let told = json!({"node": placed, "message": null, "phaseReason": null});
                (told.clone(), told)
            }
        };
        let mut told = told;
        if play.events.iter().any(|(victim, _)| victim == name) && last.get("gone").is_none() {
            last["beingDeleted"] = json!(true);
            let message = "default-scheduler: preempting to accommodate a higher priority pod";
            last["disruptionTarget"] =
                json!({"reason": "PreemptionByScheduler", "message": message});
        }
        if last != told {
            told["later"] = last;
        }
        pods.insert(name.to_owned(), told);
    }
    let mut answers = json!({"pods": pods, "claims": play.claims()});
    if !play.facts.pod_groups.is_empty() {
        let groups = play.facts.pod_groups.iter().map(|group| {
            let conditions = match play.groups.get(&group.metadata.name) {
                None => json!([]),
                Some(None) => {
                    json!([{"type": "PodGroupInitiallyScheduled", "status": "True", "reason": "Scheduled", "message": ""}])
                }
                Some(Some(text)) => json!([
                    {"type": "PodGroupInitiallyScheduled", "status": "False", "reason": "Unschedulable", "message": text}
                ]),
            };
            (group.metadata.name.clone(), json!({"conditions": conditions}))
        });
        answers["podGroups"] = Value::Object(groups.collect());
    }
    answers
}

/// The recorded answer without what need not be told again: events, and what pods are told after failed binding.
fn expected(answers: &Value) -> Value {
    let mut answers = answers.clone();
    for (_, pod) in answers["pods"].as_object_mut().unwrap() {
        pod.as_object_mut().unwrap().remove("events");
        let retried = pod["phaseReason"] == "SchedulerError"
            && pod["later"]["phaseReason"] == "SchedulerError";
        if retried {
            pod.as_object_mut().unwrap().remove("later");
        }
    }
    for (_, group) in answers["podGroups"].as_object_mut().into_iter().flatten() {
        group.as_object_mut().unwrap().remove("events");
    }
    answers
}

fn differences(path: &str, want: &Value, got: &Value, out: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let null = Value::Null;
                differences(
                    &format!("{path}.{key}"),
                    a.get(key).unwrap_or(&null),
                    b.get(key).unwrap_or(&null),
                    out,
                );
            }
        }
        (a, b) if a == b => {}
        (a, b) => out.push(format!("{path}:\n      want {a}\n      got  {b}")),
    }
}

#[test]
fn every_recorded_scenario_is_played_alike() {
    let (mut whole, mut wrong, mut pods, mut right, mut messages, mut told) =
        (0, Vec::new(), 0, 0, 0, 0);
    for scenario in recorded_lines("cluster/many-pods-1.37.2.jsonl.gz") {
        let id = scenario["id"].as_str().unwrap();
        let got = play(&scenario);
        let variants = scenario["variants"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![scenario["answers"].clone()]);
        let mut best: Option<Vec<String>> = None;
        for variant in &variants {
            let mut found = Vec::new();
            differences("", &expected(variant), &got, &mut found);
            if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                best = Some(found);
            }
        }
        for (name, want) in expected(&scenario["answers"])["pods"].as_object().unwrap() {
            pods += 1;
            let have = &got["pods"][name];
            right += usize::from(want == have);
            if want["message"].is_string() {
                messages += 1;
                told += usize::from(want["message"] == have["message"]);
            }
        }
        let mut found = best.unwrap();
        // The message after a failed binding quotes the server.
        found.retain(|one| !(one.contains(".later:") && one.contains("PreBind")));
        if found.is_empty() {
            whole += 1;
        } else {
            wrong.push(format!("{id}\n   {}", found.join("\n   ")));
        }
    }
    println!("scenarios {whole}, pods {right} of {pods}, messages {told} of {messages}");
    assert!(
        wrong.is_empty(),
        "{} scenarios differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
