//! What refers to which data, as the linker says: relocations that `--emit-relocs` leaves in the module, and the symbols they name.
//!
//! A relocation is one place in a function or in data, and what the linker wrote there: the address of a datum, or the place of
//! a function in the table. The compiler may compute with an address inside the datum it belongs to, never from one to another,
//! so the symbol counts and not the number. Every number is compared with what symbol and addend make; a difference is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{
    BinaryReader, DataKind, ElementItems, ExternalKind, KnownCustom, Linking, Name, Operator, Parser, Payload, RelocationEntry,
    RelocationType, SymbolInfo, TypeRef,
};

use crate::Fallible;

/// What one function or datum refers to, besides the functions it calls.
#[derive(Clone, Debug, Default)]
pub struct Refers {
    /// Data, by their index in [`Links::data`].
    pub data: BTreeSet<usize>,
    /// Places in the table of functions.
    pub slots: BTreeSet<u64>,
}

/// Bytes that belong together: a symbol's, or those of several that overlap.
#[derive(Debug)]
pub struct Datum {
    /// Their addresses.
    pub range: Range<u64>,
    /// What is written in them.
    pub refers: Refers,
    /// Whether nothing ever writes to them, so that they may be brought at any time, and twice.
    pub constant: bool,
}

/// The module as it was linked.
#[derive(Debug, Default)]
pub struct Links {
    /// All data that have a symbol, by address.
    pub data: Vec<Datum>,
    /// Functions by their names. Copies of one function that share a name count as one, which refers to what any of them does.
    pub functions: BTreeMap<String, Refers>,
    /// The functions that are exported under another name, which wasm-bindgen then gives them.
    pub exports: BTreeMap<String, String>,
    /// The names of the functions in the table.
    pub slots: BTreeMap<u64, String>,
    /// Every relocation: where it is, and what it refers to. The plan is checked against these.
    pub all: Vec<(Place, Target)>,
}

/// Where a relocation is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In the function of that name.
    Function(String),
    /// In data, at that address.
    Address(u64),
}

/// What a relocation refers to.
#[derive(Clone, Debug)]
pub enum Target {
    /// A symbol's bytes.
    Bytes(Range<u64>),
    /// A place in the table.
    Slot(u64),
}

/// A segment of the data section: where its bytes are in the file, and at which address in memory.
struct Segment {
    file: Range<usize>,
    address: u64,
}

/// The parts of the file that relocations need.
#[derive(Default)]
struct Sections<'a> {
    imported: u32,
    bodies: Vec<Range<usize>>,
    segments: Vec<Segment>,
    elements: Vec<(u64, u32)>,
    exports: Vec<(&'a str, u32)>,
    names: BTreeMap<u32, String>,
    symbols: Vec<SymbolInfo<'a>>,
    kinds: Vec<&'a str>,
    relocations: Vec<(u32, RelocationEntry)>,
    /// Where the content of each section begins in the file, by index.
    starts: Vec<usize>,
}

impl Links {
    /// Reads what the linker wrote.
    pub fn read(bytes: &[u8]) -> Fallible<Self> {
        let sections = Sections::read(bytes)?;
        if sections.relocations.is_empty() {
            return Err("no relocations: was the module linked without --emit-relocs?".into());
        }
        let mut links = Self { data: sections.data()?, ..Self::default() };
        for (index, _) in (sections.imported..).zip(&sections.bodies) {
            let name = sections.names.get(&index).ok_or_else(|| format!("function {index} has no name"))?;
            links.functions.entry(name.clone()).or_default();
        }
        // What wasm-bindgen runs and takes away has no name afterwards.
        for (export, index) in sections.exports.iter().filter(|(export, _)| !export.starts_with("__wbindgen_describe")) {
            let name = sections.names.get(index).ok_or_else(|| format!("function {index} has no name"))?;
            let plain = without_hash(export);
            if links.functions.contains_key(plain) && plain != name {
                return Err(format!("{plain} is one function's name and what another is exported as").into());
            }
            if links.exports.insert(plain.to_owned(), name.clone()).is_some() {
                return Err(format!("two functions are exported as {plain}").into());
            }
        }
        for (slot, index) in &sections.elements {
            let name = sections.names.get(index).ok_or_else(|| format!("function {index} has no name"))?;
            links.slots.insert(*slot, name.clone());
        }
        for (section, entry) in &sections.relocations {
            let start = sections.starts.get(*section as usize).ok_or("relocations of no section")?;
            let at = start + entry.offset as usize;
            if let Some(target) = sections.target(bytes, at, entry)? {
                let place = sections.place(at)?;
                links.add(place, target)?;
            }
        }
        Ok(links)
    }

    /// The name that the linker knows a function of wasm-bindgen's module by.
    pub fn known<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let name = self.exports.get(name).map_or(name, String::as_str);
        self.functions.contains_key(name).then_some(name)
    }

    /// Everything that something refers to.
    pub fn referred(&self) -> Refers {
        let mut all = Refers::default();
        for refers in self.functions.values().chain(self.data.iter().map(|datum| &datum.refers)) {
            all.data.extend(&refers.data);
            all.slots.extend(&refers.slots);
        }
        all
    }

    /// The datum that holds an address.
    pub fn datum_at(&self, address: u64) -> Option<usize> {
        let index = self.data.partition_point(|datum| datum.range.end <= address);
        self.data.get(index).filter(|datum| datum.range.contains(&address)).map(|_| index)
    }

    fn add(&mut self, place: Place, target: Target) -> Fallible<()> {
        self.all.push((place.clone(), target.clone()));
        let wanted = match &target {
            Target::Bytes(range) => Some(self.datum_at(range.start).ok_or("a symbol without bytes")?),
            Target::Slot(_) => None,
        };
        let refers = match &place {
            Place::Function(name) => self.functions.get_mut(name).ok_or("a relocation in no function")?,
            Place::Address(address) => {
                let index = self.datum_at(*address).ok_or_else(|| format!("a relocation in no datum, at {address}"))?;
                &mut self.data[index].refers
            }
        };
        match target {
            Target::Bytes(_) => refers.data.extend(wanted),
            Target::Slot(slot) => {
                refers.slots.insert(slot);
            }
        }
        Ok(())
    }
}

impl<'a> Sections<'a> {
    fn read(bytes: &'a [u8]) -> Fallible<Self> {
        let mut found = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            if let Some((_, range)) = payload.as_section() {
                found.starts.push(range.start);
            }
            match payload {
                Payload::ImportSection(reader) => {
                    for import in reader.into_imports() {
                        found.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::ElementSection(reader) => {
                    for element in reader {
                        let element = element?;
                        let wasmparser::ElementKind::Active { table_index: None | Some(0), offset_expr } = &element.kind else {
                            continue;
                        };
                        let ElementItems::Functions(items) = element.items else { return Err("elements of another form".into()) };
                        let start = constant(offset_expr)?;
                        for (slot, item) in (start..).zip(items) {
                            found.elements.push((slot, item?));
                        }
                    }
                }
                Payload::ExportSection(reader) => {
                    for export in reader {
                        let export = export?;
                        if export.kind == ExternalKind::Func {
                            found.exports.push((export.name, export.index));
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => found.bodies.push(body.range()),
                Payload::DataSection(reader) => {
                    for data in reader {
                        let data = data?;
                        let DataKind::Active { memory_index: 0, offset_expr } = &data.kind else {
                            return Err("a data segment that is not active".into());
                        };
                        let start = data.range.end - data.data.len();
                        found.segments.push(Segment { file: start..data.range.end, address: constant(offset_expr)? });
                    }
                }
                Payload::CustomSection(custom) => found.custom(custom.as_known())?,
                _ => {}
            }
        }
        Ok(found)
    }

    fn custom(&mut self, custom: KnownCustom<'a>) -> Fallible<()> {
        match custom {
            KnownCustom::Name(reader) => {
                for part in reader {
                    if let Name::Function(names) = part? {
                        for naming in names {
                            let naming = naming?;
                            self.names.insert(naming.index, naming.name.to_owned());
                        }
                    }
                }
            }
            KnownCustom::Linking(reader) => {
                for part in reader.subsections() {
                    match part? {
                        Linking::SymbolTable(symbols) => self.symbols = symbols.into_iter().collect::<Result<_, _>>()?,
                        Linking::SegmentInfo(segments) => {
                            for segment in segments {
                                self.kinds.push(segment?.name);
                            }
                        }
                        _ => {}
                    }
                }
            }
            KnownCustom::Reloc(reader) => {
                for entry in reader.entries() {
                    self.relocations.push((reader.section_index(), entry?));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All symbols' bytes; where symbols overlap, they are one datum.
    fn data(&self) -> Fallible<Vec<Datum>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for symbol in 0..self.symbols.len() {
            ranges.extend(self.range(symbol as u32)?.filter(|range| !range.is_empty()));
        }
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut data: Vec<Datum> = Vec::new();
        for range in ranges {
            match data.last_mut() {
                Some(last) if range.start < last.range.end => last.range.end = last.range.end.max(range.end),
                _ => {
                    let segment = self.segments.iter().rposition(|segment| segment.address <= range.start);
                    let constant =
                        segment.and_then(|index| self.kinds.get(index)).is_some_and(|kind| kind.starts_with(".rodata"));
                    data.push(Datum { range, refers: Refers::default(), constant });
                }
            }
        }
        Ok(data)
    }

    /// The addresses of a datum's symbol.
    fn range(&self, symbol: u32) -> Fallible<Option<Range<u64>>> {
        let Some(SymbolInfo::Data { symbol: Some(defined), .. }) = self.symbols.get(symbol as usize) else { return Ok(None) };
        let segment = self.segments.get(defined.index as usize).ok_or("a symbol of no segment")?;
        let start = segment.address + u64::from(defined.offset);
        Ok(Some(start..start + u64::from(defined.size)))
    }

    fn place(&self, at: usize) -> Fallible<Place> {
        let body = self.bodies.partition_point(|body| body.end <= at);
        if self.bodies.get(body).is_some_and(|body| body.contains(&at)) {
            return Ok(Place::Function(self.names[&(self.imported + body as u32)].clone()));
        }
        let segment =
            self.segments.iter().find(|segment| segment.file.contains(&at)).ok_or("a relocation outside of code and data")?;
        Ok(Place::Address(segment.address + (at - segment.file.start) as u64))
    }

    /// What a relocation refers to, if it is data or the table.
    fn target(&self, bytes: &[u8], at: usize, entry: &RelocationEntry) -> Fallible<Option<Target>> {
        use RelocationType as Kind;
        let written = match entry.ty {
            // Whatever these name, walrus knows about.
            Kind::FunctionIndexLeb | Kind::TypeIndexLeb | Kind::GlobalIndexLeb | Kind::TableNumberLeb => return Ok(None),
            Kind::MemoryAddrLeb => u64::from(BinaryReader::new(&bytes[at..], at).read_var_u32()?),
            Kind::MemoryAddrSleb | Kind::TableIndexSleb => u64::from(BinaryReader::new(&bytes[at..], at).read_var_i32()? as u32),
            Kind::MemoryAddrI32 | Kind::TableIndexI32 => u64::from(BinaryReader::new(&bytes[at..], at).read_u32()?),
            other => return Err(format!("a relocation of another kind: {other:?}").into()),
        };
        if matches!(entry.ty, Kind::TableIndexSleb | Kind::TableIndexI32) {
            let Some(SymbolInfo::Func { index, .. }) = self.symbols.get(entry.index as usize) else {
                return Err("a place in the table of no function".into());
            };
            if !self.elements.contains(&(written, *index)) {
                return Err(format!("{written} is not where the table has function {index}").into());
            }
            return Ok(Some(Target::Slot(written)));
        }
        let range = self
            .range(entry.index)?
            .ok_or_else(|| format!("the address of what is not in the module: {:?}", self.symbols.get(entry.index as usize)))?;
        if range.start.wrapping_add_signed(entry.addend) as u32 != written as u32 {
            return Err(format!("{written} is written where {:?} should be, {} off", range, entry.addend).into());
        }
        // Nothing can be read there.
        Ok((!range.is_empty()).then_some(Target::Bytes(range)))
    }
}

/// What wasm-bindgen calls an export: rustc's part of it has a hash of the crate's behind it.
fn without_hash(name: &str) -> &str {
    let hash = |end: &str| end.len() == 16 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.rsplit_once('_').filter(|(_, end)| hash(end)).map_or(name, |(plain, _)| plain)
}

/// The number that an offset is.
fn constant(offset: &wasmparser::ConstExpr<'_>) -> Fallible<u64> {
    match offset.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(u64::from(value as u32)),
        _ => Err("an offset that is not a number".into()),
    }
}
