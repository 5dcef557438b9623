//! Label selectors: `app=web,tier in (a, b),!legacy`, read as apimachinery's parser does.

use claimkit_values::GoUnicode;
use claimkit_values::names;
use std::collections::BTreeSet;

/// A label selector: all requirements must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelQuery {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    DoesNotExist,
    In,
    NotIn,
    Greater,
    Less,
}

impl LabelQuery {
    /// Returns true if an object with these labels is selected.
    pub fn matches<'l>(&self, label: impl Fn(&str) -> Option<&'l str>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = label(&requirement.key);
            let among = value.is_some_and(|value| requirement.values.contains(value));
            match requirement.operator {
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
                Operator::In => among,
                Operator::NotIn => !among,
                Operator::Greater => match requirement.numbers(value) {
                    Some((number, wanted)) => number > wanted,
                    None => false,
                },
                Operator::Less => match requirement.numbers(value) {
                    Some((number, wanted)) => number < wanted,
                    None => false,
                },
            }
        })
    }
}

impl Requirement {
    /// Returns the value of a label and the wanted one as numbers, if both are.
    fn numbers(&self, value: Option<&str>) -> Option<(i64, i64)> {
        let wanted = self.values.first()?;
        Some((value?.parse().ok()?, wanted.parse().ok()?))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    End,
    Error,
    Identifier,
    Comma,
    Open,
    Close,
    Not,
    Equals,
    NotEquals,
    Greater,
    Less,
    In,
    NotIn,
}

/// Splits a text into its tokens with their literals.
fn tokens(text: &str) -> Vec<(Token, String)> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_space);
        // Go's lexer treats NUL as the end.
        let Some(first) = rest.chars().next().filter(|c| *c != '\0') else {
            out.push((Token::End, String::new()));
            return out;
        };
        if !is_special(first) {
            let end = rest
                .find(|c: char| is_special(c) || is_space(c) || c == '\0')
                .unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or("");
            let token = match word {
                "in" => Token::In,
                "notin" => Token::NotIn,
                _ => Token::Identifier,
            };
            out.push((token, word.to_owned()));
            rest = rest.get(end..).unwrap_or("");
            continue;
        }
        // The longest run of special characters that still is a token.
        let mut end = 1usize;
        while rest
            .get(..end.saturating_add(1))
            .is_some_and(|longer| symbol(longer).is_some())
        {
            end = end.saturating_add(1);
        }
        let literal = rest.get(..end).unwrap_or("");
        out.push((symbol(literal).unwrap_or(Token::Error), literal.to_owned()));
        rest = rest.get(end..).unwrap_or("");
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn symbol(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "=" | "==" => Token::Equals,
        "!=" => Token::NotEquals,
        ">" => Token::Greater,
        "<" => Token::Less,
        "(" => Token::Open,
        _ => return None,
    })
}

/// Makes a set with one value.
fn one(value: String) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    set.insert(value);
    set
}

struct Parser {
    tokens: Vec<(Token, String)>,
    at: usize,
}

impl Parser {
    fn peek_operator(&self) -> (Token, String) {
        self.tokens
            .get(self.at)
            .cloned()
            .unwrap_or((Token::End, String::new()))
    }

    /// Returns the next token; `in` and `notin` are names unless an operator is expected.
    fn peek_token(&self) -> (Token, String) {
        match self.peek_operator() {
            (Token::In | Token::NotIn, literal) => (Token::Identifier, literal),
            other => other,
        }
    }

    fn take(&mut self) -> (Token, String) {
        let token = self.peek_token();
        self.at = self.at.saturating_add(1);
        token
    }

    fn take_operator(&mut self) -> (Token, String) {
        let token = self.peek_operator();
        self.at = self.at.saturating_add(1);
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut operator = None;
        let (mut token, mut key) = self.take();
        if token == Token::Not {
            operator = Some(Operator::DoesNotExist);
            (token, key) = self.take();
        }
        if token != Token::Identifier {
            return Err(format!("found '{key}', expected: identifier"));
        }
        let problems = names::qualified_name(&key);
        if !problems.is_empty() {
            return Err(invalid("<nil>", &key, &problems.join("; ")));
        }
        if matches!(self.peek_token().0, Token::End | Token::Comma) && operator.is_none() {
            operator = Some(Operator::Exists);
        }
        if let Some(operator) = operator {
            return Ok(Requirement {
                key,
                operator,
                values: BTreeSet::new(),
            });
        }
        let (token, literal) = self.take_operator();
        let (operator, values) = match token {
            Token::In => (Operator::In, self.values()?),
            Token::NotIn => (Operator::NotIn, self.values()?),
            Token::Equals => (Operator::In, self.exact()?),
            Token::NotEquals => (Operator::NotIn, self.exact()?),
            Token::Greater => (Operator::Greater, self.exact()?),
            Token::Less => (Operator::Less, self.exact()?),
            _ => {
                return Err(format!(
                    "found '{literal}', expected: in, notin, =, ==, !=, gt, lt"
                ));
            }
        };
        let mut problems = Vec::new();
        if matches!(operator, Operator::Greater | Operator::Less) {
            let wrong = values
                .iter()
                .enumerate()
                .filter(|(_, value)| value.parse::<i64>().is_err());
            problems.extend(wrong.map(|(at, value)| {
                invalid(
                    &format!("values[{at}]"),
                    value,
                    "for 'Gt', 'Lt' operators, the value must be an integer",
                )
            }));
        }
        for (at, value) in values.iter().enumerate() {
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                problems.push(invalid(
                    &format!("values[{at}][{key}]"),
                    value,
                    &wrong.join("; "),
                ));
            }
        }
        match problems.as_slice() {
            [] => Ok(Requirement {
                key,
                operator,
                values,
            }),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }

    fn exact(&mut self) -> Result<BTreeSet<String>, String> {
        if matches!(self.peek_token().0, Token::End | Token::Comma) {
            return Ok(one(String::new()));
        }
        match self.take() {
            (Token::Identifier, value) => Ok(one(value)),
            (_, literal) => Err(format!("found '{literal}', expected: identifier")),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let (token, literal) = self.take();
        if token != Token::Open {
            return Err(format!("found '{literal}' expected: '('"));
        }
        match self.peek_token() {
            (Token::Identifier | Token::Comma, first) => {
                let values = self.list()?;
                if self.take().0 != Token::Close {
                    return Err(format!("found '{first}', expected: ')'"));
                }
                Ok(values)
            }
            (Token::Close, _) => {
                self.take();
                Ok(one(String::new()))
            }
            (_, literal) => Err(format!(
                "found '{literal}', expected: ',', ')' or identifier"
            )),
        }
    }

    fn list(&mut self) -> Result<BTreeSet<String>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.take() {
                (Token::Identifier, value) => {
                    values.insert(value);
                    match self.peek_token() {
                        (Token::Comma, _) => {}
                        (Token::Close, _) => return Ok(values),
                        (_, literal) => {
                            return Err(format!("found '{literal}', expected: ',' or ')'"));
                        }
                    }
                }
                (Token::Comma, _) => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    match self.peek_token().0 {
                        Token::Close => {
                            values.insert(String::new());
                            return Ok(values);
                        }
                        Token::Comma => {
                            self.take();
                            values.insert(String::new());
                        }
                        _ => {}
                    }
                }
                (_, literal) => {
                    return Err(format!("found '{literal}', expected: ',', or identifier"));
                }
            }
        }
    }
}

fn invalid(path: &str, value: &str, detail: &str) -> String {
    format!(
        "{path}: Invalid value: {}: {detail}",
        claimkit_values::quote(value, GoUnicode::V15)
    )
}

/// Reads a label selector; the error is upstream's text.
pub fn parse(text: &str) -> Result<LabelQuery, String> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
    };
    let mut selector = LabelQuery::default();
    loop {
        match parser.peek_token() {
            (Token::Identifier | Token::Not, _) => {
                let requirement = parser
                    .requirement()
                    .map_err(|error| format!("unable to parse requirement: {error}"))?;
                selector.requirements.push(requirement);
                match parser.take() {
                    (Token::End, _) => return Ok(selector),
                    (Token::Comma, _) => {
                        let (token, literal) = parser.peek_token();
                        if !matches!(token, Token::Identifier | Token::Not) {
                            return Err(format!(
                                "found '{literal}', expected: identifier after ','"
                            ));
                        }
                    }
                    (_, literal) => {
                        return Err(format!(
                            "found '{literal}', expected: ',' or 'end of string'"
                        ));
                    }
                }
            }
            (Token::End, _) => return Ok(selector),
            (_, literal) => {
                return Err(format!(
                    "found '{literal}', expected: !, identifier, or 'end of string'"
                ));
            }
        }
    }
}
