//! Texts that came as bytes with invalid UTF-8. Such a text is read, but answers do not rewrite it.

use super::answer::{self, Answer};
use super::content::Content;
use super::request::Replaced;
use claimkit_model::finding::{Code, Finding, TextField};
use claimkit_model::message::message;
use claimkit_model::text::{Source, bytes, located};

/// Takes the text out of a conversion, and says why.
pub fn refuse_conversion(answer: &mut Answer) {
    if !matches!(answer.content, Content::Convert { .. }) {
        return;
    }
    answer.content = Content::Nothing;
    let message = message!(
        "replaced.not-converted",
        "not converted: bytes of the text are not UTF-8 and would be lost"
    );
    let refused = Finding::error(Code::NotUtf8, message).with_help(bytes::save_as_utf8());
    let finding = answer::finding(&Source::new(""), refused);
    answer.findings.insert(0, finding);
    answer.ok = false;
}

impl Replaced {
    /// Warns of the invalid bytes, and removes fixes and converted files, which would write U+FFFD in their place. `texts`: those of
    /// the request.
    pub fn tell(&self, texts: &[(TextField, Option<&str>)], mut answer: Answer) -> Answer {
        if answer.error.is_some() {
            return answer;
        }
        for (field, text) in texts.iter().copied() {
            let (Some(text), Some(at)) = (text, self.of(field)) else {
                continue;
            };
            for finding in answer
                .findings
                .iter_mut()
                .filter(|finding| finding.within == field)
            {
                finding.fixes.clear();
            }
            let warning = located::not_utf8(text, at as usize, field, None);
            answer.findings.insert(0, warning);
            if field == TextField::Text {
                refuse_conversion(&mut answer);
            }
        }
        answer
    }

    fn of(&self, field: TextField) -> Option<u32> {
        match field {
            TextField::Text => self.text,
            TextField::Nodes => self.nodes,
            TextField::Old => self.old,
            TextField::Patch => self.patch,
            TextField::Cluster => self.cluster,
            TextField::Settings | TextField::NewNodes => None,
        }
    }
}
