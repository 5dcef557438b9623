//! Time zones by the names of places.
//!
//! Written by `tests/oracle/tables` from release 2025b of the time zone database, as Debian has it: the current rule of each zone
//! and the second since which it has applied without exception. Earlier rules are not included.

use claimkit_values::time::{Civil, days_before};

/// Why the offset of a zone is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownOffset {
    /// No zone has this name.
    Name,
    /// The zone had other rules at that time, which are not known here.
    Time,
}

/// Returns the seconds east of UTC of a place, `time` seconds after 1970-01-01T00:00:00Z.
pub fn offset(place: &str, time: i64) -> Result<i64, UnknownOffset> {
    let zone = ZONES
        .lines()
        .find(|line| line.split(' ').skip(2).any(|name| name == place))
        .ok_or(UnknownOffset::Name)?;
    let mut parts = zone.split(' ');
    let (rule, since) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    if since.parse().is_ok_and(|since: i64| time < since) {
        return Err(UnknownOffset::Time);
    }
    by_rule(rule, time).ok_or(UnknownOffset::Time)
}

/// Returns the offset by a rule of POSIX: `CET-1CEST,M3.5.0,M10.5.0/3`.
fn by_rule(rule: &str, time: i64) -> Option<i64> {
    let rest = without_name(rule);
    let (west, rest) = read_clock(rest)?;
    // POSIX counts to the west.
    let standard = west.saturating_neg();
    if rest.is_empty() {
        return Some(standard);
    }
    let rest = without_name(rest);
    let (summer, rest) = match read_clock(rest) {
        Some((summer, rest)) => (summer.saturating_neg(), rest),
        None => (standard.saturating_add(3_600), rest),
    };
    let (begin, end) = rest.strip_prefix(',')?.split_once(',')?;
    let year = Civil::new(time.saturating_add(standard).saturating_add(UNIX_EPOCH)).year;
    let begin = find_change(begin, year)?.saturating_sub(standard);
    let end = find_change(end, year)?.saturating_sub(summer);
    let in_summer = if begin < end {
        (begin..end).contains(&time)
    } else {
        !(end..begin).contains(&time)
    };
    Some(if in_summer { summer } else { standard })
}

/// Seconds from 0001-01-01 to 1970-01-01.
const UNIX_EPOCH: i64 = 62_135_596_800;

/// Returns the text after an abbreviation such as `CET` or `<+03>`.
fn without_name(text: &str) -> &str {
    match text.strip_prefix('<') {
        Some(inner) => inner.split_once('>').map_or("", |(_, rest)| rest),
        None => text.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
    }
}

/// Reads `-3:30`; returns seconds and the rest of the text.
fn read_clock(text: &str) -> Option<(i64, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned
        .find(|c: char| !(c.is_ascii_digit() || c == ':'))
        .unwrap_or(unsigned.len());
    let (digits, rest) = unsigned.split_at_checked(end)?;
    let mut seconds = 0i64;
    for (number, unit) in digits.split(':').zip([3_600i64, 60, 1]) {
        seconds = seconds.saturating_add(number.parse::<i64>().ok()?.saturating_mul(unit));
    }
    Some((
        if text.starts_with('-') {
            seconds.saturating_neg()
        } else {
            seconds
        },
        rest,
    ))
}

/// Returns the time of `M3.5.0/3`: the fifth, that is the last, Sunday of March at three, as seconds since 1970 on the clock of
/// that place.
fn find_change(rule: &str, year: i64) -> Option<i64> {
    let (date, time) = rule.split_once('/').unwrap_or((rule, "2"));
    let mut numbers = date
        .strip_prefix('M')?
        .split('.')
        .map(|number| number.parse::<i64>().ok());
    let (month, week, weekday) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let first = days_before(year, month);
    let next = if month == 12 {
        days_before(year.saturating_add(1), 1)
    } else {
        days_before(year, month.saturating_add(1))
    };
    // 0001-01-01 is a Monday, and Sunday is 0.
    let ahead = weekday
        .saturating_sub(first.saturating_add(1))
        .rem_euclid(7);
    let mut day = first
        .saturating_add(ahead)
        .saturating_add(week.saturating_sub(1).saturating_mul(7));
    if day >= next {
        day = day.saturating_sub(7);
    }
    Some(
        day.saturating_mul(86_400)
            .saturating_sub(UNIX_EPOCH)
            .saturating_add(read_clock(time)?.0),
    )
}

/// The rule, since when it holds (`-` is always), and the names of the places.
#[rustfmt::skip]
const ZONES: &str = "\
    <+00>0<+02>-2,M3.5.0/1,M10.5.0/3 1108166400 Antarctica/Troll\n\
    <+01>-1 3703456800 Africa/Casablanca Africa/El_Aaiun\n\
    <+01>-1 - Etc/GMT-1\n\
    <+02>-2 - Etc/GMT-2\n\
    <+0330>-3:30 1663788600 Asia/Tehran Iran\n\
    <+03>-3 -719636812 Asia/Riyadh\n\
    <+03>-3 -631163516 Asia/Kuwait\n\
    <+03>-3 -631162794 Asia/Aden\n\
    <+03>-3 -407808000 Antarctica/Syowa\n\
    <+03>-3 76190400 Asia/Bahrain Asia/Qatar\n\
    <+03>-3 1191196800 Asia/Baghdad\n\
    <+03>-3 1301184000 Europe/Minsk\n\
    <+03>-3 1459040400 Asia/Istanbul Europe/Istanbul Turkey\n\
    <+03>-3 1645740000 Asia/Amman\n\
    <+03>-3 1648159200 Asia/Damascus\n\
    <+03>-3 - Etc/GMT-3\n\
    <+0430>-4:30 -788932800 Asia/Kabul\n\
    <+04>-4 -1988163708 Indian/Mahe\n\
    <+04>-4 -1848886912 Indian/Reunion\n\
    <+04>-4 -1577937264 Asia/Muscat\n\
    <+04>-4 -1577936472 Asia/Dubai\n\
    <+04>-4 1111878000 Asia/Tbilisi\n\
    <+04>-4 1238274000 Indian/Mauritius\n\
    <+04>-4 1301180400 Europe/Samara\n\
    <+04>-4 1319925600 Asia/Yerevan\n\
    <+04>-4 1445731200 Asia/Baku\n\
    <+04>-4 1459033200 Europe/Astrakhan Europe/Ulyanovsk\n\
    <+04>-4 1480806000 Europe/Saratov\n\
    <+04>-4 - Etc/GMT-4\n\
    <+0530>-5:30 1145039400 Asia/Colombo\n\
    <+0545>-5:45 504901800 Asia/Kathmandu Asia/Katmandu\n\
    <+05>-5 -631152000 Indian/Kerguelen\n\
    <+05>-5 -315636840 Indian/Maldives\n\
    <+05>-5 684363600 Asia/Dushanbe\n\
    <+05>-5 686091600 Asia/Samarkand Asia/Tashkent\n\
    <+05>-5 695772000 Asia/Ashgabat Asia/Ashkhabad\n\
    <+05>-5 1080424800 Asia/Aqtau Asia/Atyrau Asia/Oral\n\
    <+05>-5 1099170000 Asia/Aqtobe\n\
    <+05>-5 1255809600 Antarctica/Mawson\n\
    <+05>-5 1414267200 Asia/Yekaterinburg\n\
    <+05>-5 1545328800 Asia/Qyzylorda\n\
    <+05>-5 1702839600 Antarctica/Vostok\n\
    <+05>-5 1709229600 Asia/Almaty Asia/Qostanay\n\
    <+05>-5 - Etc/GMT-5\n\
    <+0630>-6:30 -2209012060 Indian/Cocos\n\
    <+0630>-6:30 -778410000 Asia/Rangoon Asia/Yangon\n\
    <+06>-6 -1325483420 Asia/Kashgar Asia/Urumqi\n\
    <+06>-6 560025000 Asia/Thimbu Asia/Thimphu\n\
    <+06>-6 820436400 Indian/Chagos\n\
    <+06>-6 1111872600 Asia/Bishkek\n\
    <+06>-6 1262278800 Asia/Dacca Asia/Dhaka\n\
    <+06>-6 1414263600 Asia/Omsk\n\
    <+06>-6 - Etc/GMT-6\n\
    <+07>-7 -2364102172 Indian/Christmas\n\
    <+07>-7 -1570084924 Asia/Bangkok\n\
    <+07>-7 -767869200 Asia/Phnom_Penh\n\
    <+07>-7 -464428800 Asia/Vientiane\n\
    <+07>-7 171820800 Asia/Ho_Chi_Minh Asia/Saigon\n\
    <+07>-7 1301169600 Asia/Novokuznetsk\n\
    <+07>-7 1329854400 Antarctica/Davis\n\
    <+07>-7 1414260000 Asia/Krasnoyarsk\n\
    <+07>-7 1459022400 Asia/Barnaul\n\
    <+07>-7 1464465600 Asia/Tomsk\n\
    <+07>-7 1469304000 Asia/Novosibirsk\n\
    <+07>-7 1474646400 Asia/Hovd\n\
    <+07>-7 - Etc/GMT-7\n\
    <+0845>-8:45 1238260500 Australia/Eucla\n\
    <+08>-8 -1167636600 Asia/Brunei\n\
    <+08>-8 -767005200 Asia/Kuching\n\
    <+08>-8 378662400 Asia/Kuala_Lumpur Asia/Singapore Singapore\n\
    <+08>-8 1414256400 Asia/Irkutsk\n\
    <+08>-8 1474642800 Asia/Choibalsan Asia/Ulaanbaatar Asia/Ulan_Bator\n\
    <+08>-8 1678291200 Antarctica/Casey\n\
    <+08>-8 - Etc/GMT-8\n\
    <+09>-9 -2177485076 Pacific/Palau\n\
    <+09>-9 969120000 Asia/Dili\n\
    <+09>-9 1414252800 Asia/Khandyga Asia/Yakutsk\n\
    <+09>-9 1459015200 Asia/Chita\n\
    <+09>-9 - Etc/GMT-9\n\
    <+1030>-10:30<+11>-11,M10.1.0,M4.1.0 1193499000 Australia/LHI Australia/Lord_Howe\n\
    <+10>-10 -2366790512 Pacific/Port_Moresby Pacific/Truk Pacific/Yap\n\
    <+10>-10 -770634000 Pacific/Chuuk\n\
    <+10>-10 -415497600 Antarctica/DumontDUrville\n\
    <+10>-10 1414249200 Asia/Ust-Nera Asia/Vladivostok\n\
    <+10>-10 - Etc/GMT-10\n\
    <+11>-11 -1806748788 Pacific/Guadalcanal Pacific/Ponape\n\
    <+11>-11 -770634000 Pacific/Pohnpei\n\
    <+11>-11 727790400 Pacific/Efate\n\
    <+11>-11 857228400 Pacific/Noumea\n\
    <+11>-11 915105600 Pacific/Kosrae\n\
    <+11>-11 1414245600 Asia/Srednekolymsk\n\
    <+11>-11 1419696000 Pacific/Bougainville\n\
    <+11>-11 1459008000 Asia/Sakhalin\n\
    <+11>-11 1461427200 Asia/Magadan\n\
    <+11>-11 - Etc/GMT-11\n\
    <+11>-11<+12>,M10.1.0,M4.1.0/3 1554562800 Pacific/Norfolk\n\
    <+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45 1175349600 NZ-CHAT Pacific/Chatham\n\
    <+12>-12 -2177496920 Pacific/Wallis\n\
    <+12>-12 -2177495812 Pacific/Funafuti\n\
    <+12>-12 -2177494324 Pacific/Tarawa\n\
    <+12>-12 -2177492788 Pacific/Wake\n\
    <+12>-12 -7988400 Pacific/Majuro\n\
    <+12>-12 287418600 Pacific/Nauru\n\
    <+12>-12 745934400 Kwajalein Pacific/Kwajalein\n\
    <+12>-12 1301151600 Asia/Anadyr Asia/Kamchatka\n\
    <+12>-12 1610805600 Pacific/Fiji\n\
    <+12>-12 - Etc/GMT-12\n\
    <+13>-13 788871600 Pacific/Enderbury Pacific/Kanton\n\
    <+13>-13 1325242800 Pacific/Fakaofo\n\
    <+13>-13 1484398800 Pacific/Tongatapu\n\
    <+13>-13 1617458400 Pacific/Apia\n\
    <+13>-13 - Etc/GMT-13\n\
    <+14>-14 788868000 Pacific/Kiritimati\n\
    <+14>-14 - Etc/GMT-14\n\
    <-00>0 - Factory\n\
    <-01>1 186120000 Atlantic/Cape_Verde\n\
    <-01>1 - Etc/GMT+1\n\
    <-01>1<+00>,M3.5.0/0,M10.5.0/1 814928400 Atlantic/Azores\n\
    <-02>2 -2524512832 Atlantic/South_Georgia\n\
    <-02>2 1013907600 America/Noronha Brazil/DeNoronha\n\
    <-02>2 - Etc/GMT+2\n\
    <-02>2<-01>,M3.5.0/-1,M10.5.0/0 1698541200 America/Godthab America/Nuuk\n\
    <-02>2<-01>,M3.5.0/-1,M10.5.0/0 1711846800 America/Scoresbysund\n\
    <-03>3 -71092800 America/Cayenne\n\
    <-03>3 218246400 Antarctica/Rothera\n\
    <-03>3 465449400 America/Paramaribo\n\
    <-03>3 571197600 America/Belem\n\
    <-03>3 1013911200 America/Fortaleza America/Maceio America/Recife\n\
    <-03>3 1205632800 America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Argentina/Jujuy \
    America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos America/Argentina/Salta \
    America/Argentina/San_Juan America/Argentina/Ushuaia America/Catamarca America/Jujuy America/Mendoza\n\
    <-03>3 1214280000 America/Santarem\n\
    <-03>3 1237082400 America/Argentina/Buenos_Aires America/Argentina/Cordoba America/Argentina/Tucuman \
    America/Buenos_Aires America/Cordoba America/Rosario\n\
    <-03>3 1255233600 America/Argentina/San_Luis\n\
    <-03>3 1283666400 Atlantic/Stanley\n\
    <-03>3 1330221600 America/Bahia\n\
    <-03>3 1361066400 America/Araguaina\n\
    <-03>3 1425787200 America/Montevideo\n\
    <-03>3 1471147200 America/Punta_Arenas Antarctica/Palmer\n\
    <-03>3 1550368800 America/Sao_Paulo Brazil/East\n\
    <-03>3 1725768000 America/Coyhaique\n\
    <-03>3 1728187200 America/Asuncion\n\
    <-03>3 - Etc/GMT+3\n\
    <-03>3<-02>,M3.2.0,M11.1.0 1162699200 America/Miquelon\n\
    <-04>4 -1192307244 America/La_Paz\n\
    <-04>4 571201200 America/Porto_Velho\n\
    <-04>4 701841600 America/Guyana\n\
    <-04>4 761713200 America/Manaus Brazil/West\n\
    <-04>4 971578800 America/Boa_Vista\n\
    <-04>4 1462086000 America/Caracas\n\
    <-04>4 1550372400 America/Campo_Grande America/Cuiaba\n\
    <-04>4 - Etc/GMT+4\n\
    <-04>4<-03>,M9.1.6/24,M4.1.6/24 1662868800 America/Santiago Chile/Continental\n\
    <-05>5 728884800 America/Guayaquil\n\
    <-05>5 729057600 America/Bogota\n\
    <-05>5 765172800 America/Lima\n\
    <-05>5 1384056000 America/Eirunepe America/Porto_Acre America/Rio_Branco Brazil/Acre\n\
    <-05>5 - Etc/GMT+5\n\
    <-06>6 728888400 Pacific/Galapagos\n\
    <-06>6 - Etc/GMT+6\n\
    <-06>6<-05>,M9.1.6/22,M4.1.6/22 1662868800 Chile/EasterIsland Pacific/Easter\n\
    <-07>7 - Etc/GMT+7\n\
    <-08>8 893665800 Pacific/Pitcairn\n\
    <-08>8 - Etc/GMT+8\n\
    <-0930>9:30 -1806676920 Pacific/Marquesas\n\
    <-09>9 -1806678012 Pacific/Gambier\n\
    <-09>9 - Etc/GMT+9\n\
    <-10>10 -1806674504 Pacific/Tahiti\n\
    <-10>10 667992600 Pacific/Rarotonga\n\
    <-10>10 - Etc/GMT+10\n\
    <-11>11 -173623200 Pacific/Niue\n\
    <-11>11 - Etc/GMT+11\n\
    <-12>12 - Etc/GMT+12\n\
    ACST-9:30 -813223800 Australia/Darwin Australia/North\n\
    ACST-9:30ACDT,M10.1.0,M4.1.0/3 1193502600 Australia/Adelaide Australia/Broken_Hill Australia/South \
    Australia/Yancowinna\n\
    AEST-10 699379200 Australia/Brisbane Australia/Queensland\n\
    AEST-10 762883200 Australia/Lindeman\n\
    AEST-10AEDT,M10.1.0,M4.1.0/3 1175356800 Australia/Currie Australia/Hobart Australia/Tasmania\n\
    AEST-10AEDT,M10.1.0,M4.1.0/3 1193500800 Australia/ACT Australia/Canberra Australia/Melbourne Australia/NSW \
    Australia/Sydney Australia/Victoria\n\
    AEST-10AEDT,M10.1.0,M4.1.0/3 1286035200 Antarctica/Macquarie\n\
    AKST9AKDT,M3.2.0,M11.1.0 1162720800 America/Anchorage America/Juneau America/Nome America/Sitka America/Yakutat \
    US/Alaska\n\
    AKST9AKDT,M3.2.0,M11.1.0 1547978400 America/Metlakatla\n\
    AST4 -1848254032 America/Guadeloupe\n\
    AST4 -1846266804 America/Dominica\n\
    AST4 -1846266780 America/Grenada\n\
    AST4 -1846266608 America/Montserrat\n\
    AST4 -1846266092 America/Tortola\n\
    AST4 -1846266016 America/St_Thomas\n\
    AST4 -1830369360 America/St_Lucia\n\
    AST4 -1830369304 America/St_Vincent\n\
    AST4 -1825098836 America/Port_of_Spain\n\
    AST4 -1825098548 America/St_Kitts\n\
    AST4 -1825098464 America/Anguilla\n\
    AST4 -765399600 America/Blanc-Sablon America/Kralendijk America/Lower_Princes America/Marigot America/Puerto_Rico \
    America/St_Barthelemy America/Virgin\n\
    AST4 -599598000 America/Antigua\n\
    AST4 -157750200 America/Aruba America/Curacao\n\
    AST4 338706000 America/Barbados\n\
    AST4 338958000 America/Martinique\n\
    AST4 975823200 America/Santo_Domingo\n\
    AST4ADT,M3.2.0,M11.1.0 1162702800 America/Glace_Bay America/Halifax America/Moncton America/Thule Atlantic/Bermuda \
    Canada/Atlantic\n\
    AST4ADT,M3.2.0,M11.1.0 1299996000 America/Goose_Bay\n\
    AWST-8 1238263200 Australia/Perth Australia/West\n\
    CAT-2 -2524528648 Africa/Bujumbura\n\
    CAT-2 -2109290652 Africa/Harare\n\
    CAT-2 -2109289988 Africa/Lusaka\n\
    CAT-2 -1924999818 Africa/Maputo\n\
    CAT-2 -1567990800 Africa/Lubumbashi\n\
    CAT-2 -1404440460 Africa/Blantyre\n\
    CAT-2 -1091498416 Africa/Kigali\n\
    CAT-2 -813805200 Africa/Gaborone\n\
    CAT-2 1504400400 Africa/Windhoek\n\
    CAT-2 1509483600 Africa/Khartoum\n\
    CAT-2 1612126800 Africa/Juba\n\
    CET-1 357523200 Africa/Algiers\n\
    CET-1 1224982800 Africa/Tunis\n\
    CET-1CEST,M3.5.0,M10.5.0/3 814928400 Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam \
    Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen \
    Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco \
    Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje \
    Europe/Stockholm Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich \
    Poland\n\
    CST-8 307551600 Asia/Taipei ROC\n\
    CST-8 309292200 Asia/Macao Asia/Macau\n\
    CST-8 684867600 Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Shanghai PRC\n\
    CST5CDT,M3.2.0/0,M11.1.0/1 1333256400 America/Havana Cuba\n\
    CST6 -305737200 America/Regina Canada/Saskatchewan\n\
    CST6 73472400 America/Swift_Current\n\
    CST6 413874000 America/Belize\n\
    CST6 591166800 America/El_Salvador\n\
    CST6 700635600 America/Costa_Rica\n\
    CST6 1154926800 America/Tegucigalpa\n\
    CST6 1159678800 America/Guatemala\n\
    CST6 1159682400 America/Managua\n\
    CST6 1648976400 America/Chihuahua\n\
    CST6 1667113200 America/Bahia_Banderas America/Merida America/Mexico_City America/Monterrey Mexico/General\n\
    CST6CDT,M3.2.0,M11.1.0 1162710000 America/Chicago America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN \
    America/Menominee America/North_Dakota/Center America/North_Dakota/New_Salem America/Rainy_River America/Rankin_Inlet \
    America/Winnipeg CST6CDT Canada/Central US/Central US/Indiana-Starke\n\
    CST6CDT,M3.2.0,M11.1.0 1173600000 America/Resolute\n\
    CST6CDT,M3.2.0,M11.1.0 1257058800 America/Matamoros\n\
    CST6CDT,M3.2.0,M11.1.0 1289113200 America/North_Dakota/Beulah\n\
    CST6CDT,M3.2.0,M11.1.0 1667718000 America/Ojinaga\n\
    ChST-10 241542000 Pacific/Guam Pacific/Saipan\n\
    EAT-3 -1846292456 Indian/Mayotte\n\
    EAT-3 -1846291984 Indian/Comoro\n\
    EAT-3 -1846291956 Africa/Djibouti\n\
    EAT-3 -1062210920 Africa/Addis_Ababa Africa/Asmara\n\
    EAT-3 -865305900 Africa/Asmera Africa/Nairobi\n\
    EAT-3 -492062400 Indian/Antananarivo\n\
    EAT-3 -410237100 Africa/Kampala\n\
    EAT-3 -410236200 Africa/Mogadishu\n\
    EAT-3 -284006700 Africa/Dar_es_Salaam\n\
    EET-2 1364515200 Africa/Tripoli Libya\n\
    EET-2 1414278000 Europe/Kaliningrad\n\
    EET-2EEST,M3.4.4/50,M10.4.4/50 3673123200 Asia/Gaza Asia/Hebron\n\
    EET-2EEST,M3.5.0,M10.5.0/3 846374400 Europe/Chisinau Europe/Tiraspol\n\
    EET-2EEST,M3.5.0/0,M10.5.0/0 909262800 Asia/Beirut\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 814928400 EET Europe/Athens Europe/Helsinki Europe/Mariehamn\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 828234000 Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 846378000 Europe/Bucharest Europe/Sofia\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 891133200 Asia/Nicosia Europe/Nicosia\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 972781200 Europe/Riga\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 1004230800 Europe/Tallinn\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 1035680400 Europe/Vilnius\n\
    EET-2EEST,M3.5.0/3,M10.5.0/4 1490490000 Asia/Famagusta\n\
    EET-2EEST,M4.5.5/0,M10.5.4/24 1666904400 Africa/Cairo Egypt\n\
    EST5 -1946918424 America/Coral_Harbour America/Panama\n\
    EST5 -1827687170 America/Cayman\n\
    EST5 -923248800 America/Atikokan\n\
    EST5 436341600 America/Jamaica Jamaica\n\
    EST5 1422777600 America/Cancun\n\
    EST5 - EST\n\
    EST5EDT,M3.2.0,M11.1.0 1162706400 America/Detroit America/Fort_Wayne America/Indiana/Indianapolis \
    America/Indiana/Marengo America/Indiana/Vevay America/Indianapolis America/Iqaluit America/Kentucky/Louisville \
    America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau America/New_York America/Nipigon \
    America/Pangnirtung America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT US/East-Indiana US/Eastern US/Michigan\n\
    EST5EDT,M3.2.0,M11.1.0 1173600000 America/Indiana/Winamac\n\
    EST5EDT,M3.2.0,M11.1.0 1194156000 America/Indiana/Petersburg America/Indiana/Vincennes\n\
    EST5EDT,M3.2.0,M11.1.0 1478412000 America/Port-au-Prince\n\
    EST5EDT,M3.2.0,M11.1.0 1520751600 America/Grand_Turk\n\
    GMT0 -2429827492 Africa/Lome\n\
    GMT0 -1830383636 Africa/Ouagadougou\n\
    GMT0 -1830383032 Africa/Abidjan Africa/Timbuktu Iceland\n\
    GMT0 -902098800 Africa/Dakar\n\
    GMT0 -885769200 Africa/Freetown\n\
    GMT0 -880930800 Africa/Banjul\n\
    GMT0 -599614632 Atlantic/St_Helena\n\
    GMT0 -441844200 Africa/Accra\n\
    GMT0 -315615600 Africa/Conakry\n\
    GMT0 -300841200 Africa/Bamako\n\
    GMT0 -286930800 Africa/Nouakchott\n\
    GMT0 -54770400 Atlantic/Reykjavik\n\
    GMT0 63593070 Africa/Monrovia\n\
    GMT0 157770000 Africa/Bissau\n\
    GMT0 820465200 America/Danmarkshavn\n\
    GMT0 1546304400 Africa/Sao_Tome\n\
    GMT0 - Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich\n\
    GMT0BST,M3.5.0/1,M10.5.0 814928400 Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB \
    GB-Eire\n\
    HKT-8 309292200 Asia/Hong_Kong Hongkong\n\
    HST10 -712150200 Pacific/Honolulu Pacific/Johnston US/Hawaii\n\
    HST10 - HST\n\
    HST10HDT,M3.2.0,M11.1.0 1162724400 America/Adak America/Atka US/Aleutian\n\
    IST-1GMT0,M10.5.0,M3.5.0/1 814928400 Eire Europe/Dublin\n\
    IST-2IDT,M3.4.4/26,M10.5.0 1351378800 Asia/Jerusalem Asia/Tel_Aviv Israel\n\
    IST-5:30 -764145000 Asia/Calcutta Asia/Kolkata\n\
    JST-9 -577962000 Asia/Tokyo Japan\n\
    KST-9 592333200 Asia/Seoul ROK\n\
    KST-9 1525446000 Asia/Pyongyang\n\
    MET-1MEST,M3.5.0,M10.5.0/3 814928400 MET\n\
    MSK-3 1414274400 Europe/Kirov Europe/Moscow Europe/Simferopol W-SU\n\
    MSK-3 1609020000 Europe/Volgograd\n\
    MST7 -1627833600 America/Creston\n\
    MST7 -68659200 America/Phoenix US/Arizona\n\
    MST7 73476000 America/Dawson_Creek\n\
    MST7 909302400 America/Hermosillo\n\
    MST7 1425808800 America/Fort_Nelson\n\
    MST7 1583661600 America/Dawson America/Whitehorse Canada/Yukon\n\
    MST7 1667116800 America/Mazatlan Mexico/BajaSur\n\
    MST7 - MST\n\
    MST7MDT,M3.2.0,M11.1.0 1162713600 America/Boise America/Cambridge_Bay America/Denver America/Edmonton America/Inuvik \
    America/Shiprock America/Yellowknife Canada/Mountain MST7MDT Navajo US/Mountain\n\
    MST7MDT,M3.2.0,M11.1.0 1669788000 America/Ciudad_Juarez\n\
    NST3:30NDT,M3.2.0,M11.1.0 1299994200 America/St_Johns Canada/Newfoundland\n\
    NZST-12NZDT,M9.5.0,M4.1.0/3 1175349600 Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland\n\
    PKT-5 1257012000 Asia/Karachi\n\
    PST-8 649177200 Asia/Manila\n\
    PST8PDT,M3.2.0,M11.1.0 1162717200 America/Los_Angeles America/Vancouver Canada/Pacific PST8PDT US/Pacific\n\
    PST8PDT,M3.2.0,M11.1.0 1257066000 America/Ensenada America/Santa_Isabel America/Tijuana Mexico/BajaNorte\n\
    SAST-2 -2109290664 Africa/Mbabane\n\
    SAST-2 -813805200 Africa/Johannesburg Africa/Maseru\n\
    SST11 -1861879032 Pacific/Pago_Pago Pacific/Samoa US/Samoa\n\
    SST11 -420645600 Pacific/Midway\n\
    UTC0 - Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu\n\
    WAT-1 -2276643672 Africa/Kinshasa\n\
    WAT-1 -1830388460 Africa/Bangui\n\
    WAT-1 -1830387668 Africa/Brazzaville\n\
    WAT-1 -1830387600 Africa/Luanda\n\
    WAT-1 -1830386328 Africa/Douala\n\
    WAT-1 -1830386268 Africa/Libreville\n\
    WAT-1 -1588465800 Africa/Lagos\n\
    WAT-1 -1131235200 Africa/Porto-Novo\n\
    WAT-1 -315619200 Africa/Niamey\n\
    WAT-1 -190857600 Africa/Malabo\n\
    WAT-1 321314400 Africa/Ndjamena\n\
    WET0WEST,M3.5.0/1,M10.5.0 814928400 Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira WET\n\
    WET0WEST,M3.5.0/1,M10.5.0 828234000 Europe/Lisbon Portugal\n\
    WIB-7 -189415800 Asia/Jakarta\n\
    WIB-7 567964800 Asia/Pontianak\n\
    WIT-9 -189423000 Asia/Jayapura\n\
    WITA-8 -766054800 Asia/Makassar Asia/Ujung_Pandang\n\
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets() {
        // Computed with Python's zoneinfo from the same release of the database.
        for (place, time, seconds) in [
            ("Europe/Berlin", 1686708184, 7200),
            ("Europe/Berlin", 1704067200, 3600),
            ("Europe/Berlin", 4102444800, 3600),
            ("Europe/Berlin", 253402214399, 3600),
            ("Asia/Kolkata", 1686708184, 19800),
            ("Asia/Kolkata", 1704067200, 19800),
            ("Asia/Kolkata", 4102444800, 19800),
            ("Asia/Kolkata", 253402214399, 19800),
            ("Asia/Kolkata", 711849600, 19800),
            ("America/New_York", 1686708184, -14400),
            ("America/New_York", 1704067200, -18000),
            ("America/New_York", 4102444800, -18000),
            ("America/New_York", 253402214399, -18000),
            ("Australia/Lord_Howe", 1686708184, 37800),
            ("Australia/Lord_Howe", 1704067200, 39600),
            ("Australia/Lord_Howe", 4102444800, 39600),
            ("Australia/Lord_Howe", 253402214399, 39600),
            ("Pacific/Chatham", 1686708184, 45900),
            ("Pacific/Chatham", 1704067200, 49500),
            ("Pacific/Chatham", 4102444800, 49500),
            ("Pacific/Chatham", 253402214399, 49500),
            ("Africa/Casablanca", 4102444800, 3600),
            ("Africa/Casablanca", 253402214399, 3600),
            ("America/Santiago", 1686708184, -14400),
            ("America/Santiago", 1704067200, -10800),
            ("America/Santiago", 4102444800, -10800),
            ("America/Santiago", 253402214399, -10800),
            ("America/Nuuk", 1704067200, -7200),
            ("America/Nuuk", 4102444800, -7200),
            ("America/Nuuk", 253402214399, -7200),
            ("Asia/Gaza", 4102444800, 7200),
            ("Asia/Gaza", 253402214399, 7200),
            ("Antarctica/Troll", 1686708184, 7200),
            ("Antarctica/Troll", 1704067200, 0),
            ("Antarctica/Troll", 4102444800, 0),
            ("Antarctica/Troll", 253402214399, 0),
            ("Europe/Dublin", 1686708184, 3600),
            ("Europe/Dublin", 1704067200, 0),
            ("Europe/Dublin", 4102444800, 0),
            ("Europe/Dublin", 253402214399, 0),
            ("Etc/GMT-14", 1686708184, 50400),
            ("Etc/GMT-14", 1704067200, 50400),
            ("Etc/GMT-14", 4102444800, 50400),
            ("Etc/GMT-14", 253402214399, 50400),
            ("Etc/GMT-14", 711849600, 50400),
            ("GB", 1686708184, 3600),
            ("GB", 1704067200, 0),
            ("GB", 4102444800, 0),
            ("GB", 253402214399, 0),
            ("UTC", 1686708184, 0),
            ("UTC", 1704067200, 0),
            ("UTC", 4102444800, 0),
            ("UTC", 253402214399, 0),
            ("UTC", 711849600, 0),
            ("Asia/Kathmandu", 1686708184, 20700),
            ("Asia/Kathmandu", 1704067200, 20700),
            ("Asia/Kathmandu", 4102444800, 20700),
            ("Asia/Kathmandu", 253402214399, 20700),
            ("Asia/Kathmandu", 711849600, 20700),
            ("America/Sao_Paulo", 1686708184, -10800),
            ("America/Sao_Paulo", 1704067200, -10800),
            ("America/Sao_Paulo", 4102444800, -10800),
            ("America/Sao_Paulo", 253402214399, -10800),
            ("EST5EDT", 1686708184, -14400),
            ("EST5EDT", 1704067200, -18000),
            ("EST5EDT", 4102444800, -18000),
            ("EST5EDT", 253402214399, -18000),
            ("Asia/Jerusalem", 1686708184, 10800),
            ("Asia/Jerusalem", 1704067200, 7200),
            ("Asia/Jerusalem", 4102444800, 7200),
            ("Asia/Jerusalem", 253402214399, 7200),
            ("Europe/Berlin", 1679792399, 3600),
            ("Europe/Berlin", 1679792400, 7200),
            ("Europe/Berlin", 1698541199, 7200),
            ("Europe/Berlin", 1698541200, 3600),
            ("America/New_York", 1678604399, -18000),
            ("America/New_York", 1678604400, -14400),
            ("America/New_York", 1699163999, -14400),
            ("America/New_York", 1699164000, -18000),
            ("Australia/Lord_Howe", 1696087799, 37800),
            ("Australia/Lord_Howe", 1696087800, 39600),
            ("Australia/Lord_Howe", 1680359399, 39600),
            ("Australia/Lord_Howe", 1680359400, 39600),
        ] {
            assert_eq!(offset(place, time), Ok(seconds), "{place} {time}");
        }
        assert_eq!(offset("Bad/Zone", 0), Err(UnknownOffset::Name));
        assert_eq!(offset("-", 0), Err(UnknownOffset::Name));
        assert_eq!(offset("europe/berlin", 0), Err(UnknownOffset::Name));
        assert_eq!(offset("Europe/Berlin", 0), Err(UnknownOffset::Time));
        assert_eq!(
            offset("Asia/Kolkata", -2_000_000_000),
            Err(UnknownOffset::Time)
        );
    }

    #[test]
    fn every_rule_is_read() {
        for line in ZONES.lines() {
            assert!(
                by_rule(line.split(' ').next().unwrap(), 1_700_000_000).is_some(),
                "{line}"
            );
        }
    }
}
