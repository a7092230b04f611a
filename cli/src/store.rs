//! The prices that a command uses: the shipped tables, what updates and imports have put beside
//! them, one's own, and the files named with `--prices`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use inferplan_core::{
    document,
    price::{
        ExchangeRate, Origin, Overlay, PriceBook, PriceTable,
        file::{self, Bundle, PriceFile},
    },
    problem::{Problem, Problems},
};

use crate::{args::PriceArgs, files};

/// Names the folder in place of the system's own place for it.
const HOME: &str = "INFERPLAN_HOME";

/// The folder of what the user keeps: `$INFERPLAN_HOME`, or the system's place for such data.
///
/// # Errors
/// A system that has no such place, where none is named.
pub fn home() -> Result<PathBuf, Problem> {
    if let Some(folder) = env::var_os(HOME).filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let places = directories::ProjectDirs::from("", "", "inferplan");
    places
        .map(|places| places.data_dir().to_owned())
        .ok_or_else(|| {
            Problem::new(
                "there is no home folder to keep prices in",
                "没有可存放价格的主目录",
            )
            .remedy(
                format!("name a folder with {HOME}"),
                format!("请用 {HOME} 指定一个文件夹"),
            )
        })
}

/// The book an update brought.
pub const UPDATED: &str = "price-book.json";
/// Prices of one's own.
pub const OWN: &str = "own-prices.json";
/// Exchange rates an update brought.
pub const RATES: &str = "exchange-rates.json";
/// The folder of imported catalogues.
pub const CATALOGUES: &str = "catalogues";

/// Tables, rates and one's own prices on their way to a book.
struct Shelf {
    tables: Vec<PriceTable>,
    rates: Vec<ExchangeRate>,
    own: Overlay,
}

/// The book a command uses.
///
/// # Errors
/// Every problem of every file.
pub fn book(args: &PriceArgs) -> Result<PriceBook, Problems> {
    let shipped = inferplan_pricing::book()?;
    let mut shelf = Shelf {
        tables: shipped.tables().to_vec(),
        rates: shipped.rates().to_vec(),
        own: Overlay::default(),
    };
    if !args.shipped_only {
        shelf.kept(&home()?)?;
    }
    for path in &args.prices {
        shelf.take(read(path)?, Origin::Own, true);
    }
    let book = PriceBook::of(shelf.tables, shelf.rates)?;
    if shelf.own.is_empty() {
        return Ok(book);
    }
    book.with(&shelf.own)
}

/// The shipped tables with those an update has put in their place.
///
/// # Errors
/// Every problem of the update that is kept.
pub fn shipped_and_updated() -> Result<PriceBook, Problems> {
    let shipped = inferplan_pricing::book()?;
    let mut shelf = Shelf {
        tables: shipped.tables().to_vec(),
        rates: shipped.rates().to_vec(),
        own: Overlay::default(),
    };
    if let Some(updated) = updated()? {
        shelf.take(updated, Origin::Updated, false);
    }
    PriceBook::of(shelf.tables, shelf.rates)
}

/// What an update has brought.
///
/// # Errors
/// Every problem of it.
pub fn updated() -> Result<Option<PriceFile>, Problems> {
    read_kept(&home()?.join(UPDATED))
}

/// The exchange rates that are kept.
///
/// # Errors
/// Every problem of their file.
pub fn kept_rates() -> Result<Vec<ExchangeRate>, Problems> {
    match read_kept(&home()?.join(RATES))? {
        Some(PriceFile::Rates(rates)) => Ok(rates.rates),
        _ => Ok(Vec::new()),
    }
}

/// A table that is kept, where there is one.
///
/// # Errors
/// Every problem of it.
pub fn kept_table(path: &Path) -> Result<Option<PriceTable>, Problems> {
    match read_kept(path)? {
        Some(PriceFile::Table(table)) => Ok(Some(*table)),
        _ => Ok(None),
    }
}

impl Shelf {
    /// What the user keeps.
    fn kept(&mut self, home: &Path) -> Result<(), Problems> {
        if let Some(updated) = read_kept(&home.join(UPDATED))? {
            self.take(updated, Origin::Updated, false);
        }
        let catalogues = match fs::read_dir(home.join(CATALOGUES)) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => Vec::new(),
        };
        let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        let mut catalogues: Vec<PathBuf> = catalogues.into_iter().filter(is_json).collect();
        catalogues.sort();
        for path in catalogues {
            if let Some(catalogue) = read_kept(&path)? {
                self.take(catalogue, Origin::Catalogue, false);
            }
        }
        for name in [RATES, OWN] {
            if let Some(kept) = read_kept(&home.join(name))? {
                self.take(kept, Origin::Own, false);
            }
        }
        Ok(())
    }

    /// Takes a file's prices. A table takes the place of its provider's, unless that is newer;
    /// `named` ones are the user's wish and take it whatever their day.
    fn take(&mut self, file: PriceFile, origin: Origin, named: bool) {
        let tables = match file {
            PriceFile::Table(table) => vec![*table],
            PriceFile::Bundle(Bundle {
                tables,
                exchange_rates,
                ..
            }) => {
                self.rates.extend(exchange_rates);
                tables
            }
            PriceFile::Overlay(overlay) => return self.own.extend(overlay),
            PriceFile::Rates(rates) => return self.rates.extend(rates.rates),
        };
        for mut table in tables {
            table.origin = origin;
            let id = &table.provider.id;
            match self
                .tables
                .iter_mut()
                .find(|known| known.provider.id == *id)
            {
                Some(known) if named || known.released_on <= table.released_on => *known = table,
                Some(_) => {}
                None => self.tables.push(table),
            }
        }
    }
}

/// Reads a file of prices the user names.
///
/// # Errors
/// Every problem of it.
pub fn read(path: &Path) -> Result<PriceFile, Problems> {
    let (name, bytes) = files::read(path)?;
    let text = document::utf8(&bytes).map_err(|problem| problem.in_file(&name))?;
    file::read(text, &name)
}

/// Reads a file the user keeps, where there is one.
fn read_kept(path: &Path) -> Result<Option<PriceFile>, Problems> {
    let name = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => match file::read(&text, &name) {
            Ok(file) => Ok(Some(file)),
            Err(problems) => Err(problems.with(
                Problem::new(
                    "it is kept here and cannot be used",
                    "该文件保存于此，但无法使用",
                )
                .in_file(&name)
                .remedy(
                    "mend it, remove it, or leave it out with --shipped-only",
                    "请修正或删除它，或用 --shipped-only 忽略它",
                ),
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(files::unreadable(path, &error).into()),
    }
}

/// Prices of one's own that are kept, for adding to.
///
/// # Errors
/// Every problem of the file.
pub fn own() -> Result<(PathBuf, Overlay), Problems> {
    let path = home()?.join(OWN);
    let overlay = match read_kept(&path)? {
        Some(PriceFile::Overlay(overlay)) => overlay,
        Some(_) => {
            return Err(
                Problem::new("it holds no prices of one's own", "其中不是自有价格")
                    .in_file(&path.display().to_string())
                    .into(),
            );
        }
        None => Overlay::default(),
    };
    Ok((path, overlay))
}

/// Writes a file the user keeps, whole or not at all, making its folder first.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn keep(path: &Path, text: &str) -> Result<(), Problem> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| files::unwritable(folder, &error))?;
    }
    files::write(path, text)
}
