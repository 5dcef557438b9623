//! Clusters of one repository: a folder with a `claimkit.toml` of its own is one, with settings of its own.

use crate::exit::{Exit, Outcome, Problem};
use crate::files::{self, InputFile, WorldFolders};
use crate::host::Host;
use crate::options::{FileArgs, ValidateArgs, Verb, World};
use crate::settings::{CommandSettings, ProjectOptions};
use std::collections::BTreeMap;

/// The clusters that the files of a command line belong to.
#[derive(Debug, Default)]
pub struct Worlds {
    /// The folder of each with the verb as its settings have it; empty if no file is in a folder with a `claimkit.toml` of its own.
    each: Vec<WorldVerb>,
}

/// A verb about the files of one cluster.
#[derive(Debug)]
struct WorldVerb {
    /// The folder; `None`: files of no such folder.
    folder: Option<String>,
    verb: Verb,
}

/// The options of `validate` for the files of a folder.
#[derive(Clone, Copy, Debug)]
pub struct WorldValidation<'a> {
    pub folder: Option<&'a str>,
    pub args: &'a ValidateArgs,
}

impl Worlds {
    /// Finds the clusters of the files that a verb reads as one cluster. `typed`: the verb as it was typed; `settings`: those of the
    /// folder where the command runs.
    ///
    /// # Errors
    /// What is wrong with the settings of a folder.
    pub fn of(
        typed: &Verb,
        settings: &CommandSettings,
        host: &mut dyn Host,
    ) -> Result<Self, Problem> {
        let mut verb = typed.clone();
        let Some(args) = files_of(&mut verb) else {
            return Ok(Worlds::default());
        };
        args.exclude.extend(settings.excluded().iter().cloned());
        let stdin_name = match typed {
            Verb::Validate(args) => args.stdin_filename.as_deref(),
            _ => None,
        };
        let folders = files::worlds(args, stdin_name, host);
        if folders.iter().all(Option::is_none) {
            return Ok(Worlds::default());
        }
        let mut each = Vec::new();
        for folder in folders {
            let mut verb = typed.clone();
            if let Some(args) = files_of(&mut verb) {
                args.exclude.extend(settings.excluded().iter().cloned());
                args.world = World::Only(folder.clone());
            }
            let own = match &folder {
                Some(folder) => CommandSettings::of_folder(folder, host)?,
                None => settings.clone(),
            };
            own.settle(&mut ProjectOptions::of(&mut verb))?;
            each.push(WorldVerb { folder, verb });
        }
        Ok(Worlds { each })
    }

    /// Runs a verb, once for each cluster if there are several.
    pub fn run(&self, verb: &Verb, host: &mut dyn Host) -> Outcome {
        match self.each.as_slice() {
            [] => crate::run_verb(verb, host),
            [only] => crate::run_verb(&only.verb, host),
            several => {
                let mut exit = Exit::Fine;
                for WorldVerb { folder, verb } in several {
                    let name = folder.as_deref().unwrap_or(".");
                    host.err(&format!("claimkit: the cluster of {name}:\n"));
                    exit = exit.max(crate::run_verb(verb, host)?);
                }
                Ok(exit)
            }
        }
    }

    /// Returns the options of `validate` by folder.
    pub fn validations(&self) -> Vec<WorldValidation<'_>> {
        let each = self.each.iter().filter_map(|world| match &world.verb {
            Verb::Validate(args) => Some(WorldValidation {
                folder: world.folder.as_deref(),
                args,
            }),
            _ => None,
        });
        each.collect()
    }
}

impl WorldValidation<'_> {
    /// Returns the name of the folder; `.` for files of no such folder.
    pub fn name(&self) -> &str {
        self.folder.unwrap_or(".")
    }
}

/// Returns the names of the clusters of files, by the names of the files.
pub fn homes(
    files: &[InputFile],
    worlds: &[WorldValidation<'_>],
    host: &mut dyn Host,
) -> BTreeMap<String, String> {
    let mut known = WorldFolders::default();
    let mut homes = BTreeMap::new();
    if worlds.is_empty() {
        return homes;
    }
    for file in files {
        let folder = known.of(&file.name, host);
        homes.insert(file.name.clone(), folder.unwrap_or_else(|| ".".to_owned()));
    }
    homes
}

/// Returns true if the settings of a file's cluster leave it out.
pub fn is_excluded(file: &InputFile, worlds: &[WorldValidation<'_>]) -> bool {
    worlds.iter().any(|world| {
        world.folder.is_some_and(|folder| {
            file.name.starts_with(&format!("{folder}/"))
                && files::is_excluded(&file.name, &world.args.files.exclude)
        })
    })
}

/// Returns the files of a verb that reads them as one cluster.
fn files_of(verb: &mut Verb) -> Option<&mut FileArgs> {
    match verb {
        Verb::Validate(args) if !args.live => Some(&mut args.files),
        Verb::Audit(args) if !args.live => Some(&mut args.files),
        Verb::Allocate(args) => Some(&mut args.files),
        _ => None,
    }
}
