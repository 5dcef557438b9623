//! The verb `symbols`: the parts of a text, the names that it defines and uses, and its device selectors.

use super::answer::{self, Answer};
use super::content::{Content, NameContent, SelectorContent, SymbolContent};
use super::hover;
use super::request::{self, SymbolsRequest, Verb};
use crate::cel_lints::{Language, all};
use crate::editor::outline::Outline;
use crate::editor::symbols::{self, Symbols};
use crate::manifest::{Input, What};
use claimkit_model::message::Words;
use claimkit_model::text::Source;

/// Answers `symbols`.
pub fn symbols(request: &SymbolsRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Symbols, error))
}

fn answer(request: &SymbolsRequest) -> Result<Answer, Words> {
    let text = request
        .text
        .as_deref()
        .ok_or_else(|| Words::english("`text` is missing: the manifest"))?;
    hover::within(text, &request.limits)?;
    let release = request::release(request.release.as_deref())?;
    let input = Input::read(text, release, &request.limits);
    let source = &input.file.source;
    let Symbols { symbols, names } = symbols::read(
        &Outline::read(text),
        request.namespace.as_deref().unwrap_or("default"),
    );
    let names = names.into_iter().map(|name| NameContent {
        kind: name.kind,
        name: name.name,
        namespace: name.namespace,
        of: name.owner,
        definition: name.definition,
        range: answer::range(source, name.span),
    });
    let content = Content::Symbols {
        symbols: placed(source, symbols),
        names: names.collect(),
        selectors: selectors(&input),
    };
    Ok(Answer::with(Verb::Symbols, content))
}

/// Places symbols with editor positions; they are nested as deep as requests are, which is four levels.
fn placed(source: &Source<'_>, symbols: Vec<symbols::Symbol>) -> Vec<SymbolContent> {
    let place = |symbol: symbols::Symbol| SymbolContent {
        kind: symbol.kind,
        name: symbol.name,
        detail: symbol.detail,
        range: answer::range(source, symbol.span),
        name_range: answer::range(source, symbol.name_span),
        children: placed(source, symbol.children),
    };
    symbols.into_iter().map(place).collect()
}

/// Lists the device selectors of the objects that can be read.
fn selectors(input: &Input<'_>) -> Vec<SelectorContent> {
    let mut found = Vec::new();
    for item in &input.items {
        let (What::Ours(api), Some(tree)) = (&item.what, input.tree(item)) else {
            continue;
        };
        let Some(language) = Language::of(*api).filter(|language| *language == Language::Device)
        else {
            continue;
        };
        for at in all(tree, item.node, language) {
            if let Some(expression) = tree.str(at.node) {
                let range = answer::range(&input.file.source, tree.span(at.node));
                found.push(SelectorContent {
                    expression: expression.to_owned(),
                    release: item.release,
                    range,
                });
            }
        }
    }
    found
}
