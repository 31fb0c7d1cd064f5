// Written by typescript/shapes.py from service_nb/client/advice.

export const ROLES: readonly (readonly [string, string, string])[] = [
  [
    "by",
    "by",
    "by per each every groupby group_by group_by_each grouped_by for_each split_by broken_down_by pro je nach par por"
  ],
  [
    "from",
    "from",
    "from aus"
  ],
  [
    "where",
    "where",
    "where with when whose if wo donde dove"
  ],
  [
    "having",
    "having",
    "having"
  ],
  [
    "and",
    "and",
    "and & && und et y"
  ],
  [
    "or",
    "or",
    "or | || oder ou"
  ],
  [
    "not",
    "not",
    "not ~"
  ],
  [
    "order",
    "order",
    "order order_by sort sort_by sorted sorted_by"
  ],
  [
    "asc",
    "asc",
    "asc ascending lowest_first"
  ],
  [
    "desc",
    "desc",
    "desc descending highest_first"
  ],
  [
    "limit",
    "limit",
    "limit"
  ],
  [
    "first",
    "first",
    "first head"
  ],
  [
    "top",
    "top",
    "top"
  ],
  [
    "bottom",
    "bottom",
    "bottom"
  ],
  [
    "in",
    "in",
    "in during"
  ],
  [
    "is",
    "is",
    "is are was equals is_equal_to equal_to"
  ],
  [
    "between",
    "between",
    "between"
  ],
  [
    "null",
    "null",
    "null none nan missing empty blank na"
  ],
  [
    "contains",
    "contains",
    "contains containing includes"
  ],
  [
    "starts",
    "starts",
    "starts_with begins_with startswith"
  ],
  [
    "true",
    "true",
    "true"
  ],
  [
    "false",
    "false",
    "false"
  ],
  [
    "distinct",
    "distinct",
    "distinct unique different"
  ],
  [
    "rows",
    "rows",
    "rows row records record lines entries observations"
  ],
  [
    "many",
    "many",
    "many how_many number_of total_number anzahl nombre_de cuantos cuántos cuantas cuántas quantos número_de numero_de"
  ],
  [
    "of",
    "of",
    "of von de del di"
  ],
  [
    "bins",
    "bins",
    "in_bins_of in_bins in_buckets_of bins_of buckets_of"
  ],
  [
    "word",
    "word",
    "mad quartile quartiles stdevp stdp varp coldest boldest med map may tax mix mid main mine court county mount"
  ],
  [
    "noise",
    "noise",
    "what whats the a an me my our please show give tell calculate compute find get select return want i to know do does did can you would like it there all der die das le la les el los por_favor bitte que cuál quelle quel est ist sind were be been have has on"
  ],
  [
    "sign",
    "=",
    "= == eq"
  ],
  [
    "sign",
    "!=",
    "!= <> ne not_equal_to differs_from"
  ],
  [
    "sign",
    ">",
    "> over above greater_than more_than larger_than bigger_than after exceeds"
  ],
  [
    "sign",
    ">=",
    ">= at_least since not_less_than"
  ],
  [
    "sign",
    "<",
    "< under below less_than fewer_than smaller_than before"
  ],
  [
    "sign",
    "<=",
    "<= at_most until up_to not_more_than"
  ],
  [
    "period",
    "day",
    "day daily days tag jour día"
  ],
  [
    "period",
    "week",
    "week weekly weeks woche semaine semana"
  ],
  [
    "period",
    "month",
    "month monthly months monat mois mes"
  ],
  [
    "period",
    "quarter",
    "quarter quarterly quarters quartal trimestre"
  ],
  [
    "period",
    "year",
    "year yearly annual annually years jahr année año"
  ],
  [
    "relative",
    "this_month",
    "this_month current_month diesen_monat ce_mois este_mes"
  ],
  [
    "relative",
    "last_month",
    "last_month previous_month letzten_monat mois_dernier mes_pasado"
  ],
  [
    "relative",
    "this_quarter",
    "this_quarter current_quarter dieses_quartal ce_trimestre este_trimestre"
  ],
  [
    "relative",
    "last_quarter",
    "last_quarter previous_quarter letztes_quartal trimestre_dernier trimestre_pasado"
  ],
  [
    "relative",
    "this_year",
    "this_year current_year dieses_jahr cette_année este_año"
  ],
  [
    "relative",
    "last_year",
    "last_year previous_year letztes_jahr année_dernière año_pasado"
  ],
  [
    "aggregation",
    "sum",
    "summe somme suma soma totale sum total add"
  ],
  [
    "aggregation",
    "avg",
    "averages durchschnitt mittelwert moyenne promedio media avg average mean"
  ],
  [
    "aggregation",
    "count",
    "size len count"
  ],
  [
    "aggregation",
    "count_distinct",
    "n_distinct distinct_count count_distinct nunique"
  ],
  [
    "aggregation",
    "max",
    "latest newest biggest höchste max maximum largest highest"
  ],
  [
    "aggregation",
    "min",
    "earliest oldest kleinste min minimum smallest lowest"
  ],
  [
    "aggregation",
    "stddev",
    "standardabweichung écart-type stddev std stdev stddev_samp sd standard_deviation"
  ],
  [
    "aggregation",
    "median",
    "médiane mediana median middle"
  ],
  [
    "aggregation",
    "variance",
    "variance var var_samp"
  ],
  [
    "aggregation",
    "percentile",
    "percentile quantile percentile_cont"
  ]
];

export const NOTATIONS: readonly (readonly [string, string])[] = [
  [
    "(?<=\\w)\\$(?=[A-Za-z`])",
    "."
  ],
  [
    "(?<!\\w)(?P<percent>\\d\\d?(?:\\.\\d+)?)(?:st|nd|rd|th)\\s+percentile",
    "p$<percent>"
  ],
  [
    "^\\s*=\\s*(?P<word>sum|average)if\\s*\\(\\s*(?P<column>(?:\"[^\"]*\"|[^;,()\"]+))[;,]\\s*(?P<value>(?:\"[^\"]*\"|[^;,()\"]+))[;,]\\s*(?P<metric>(?:\"[^\"]*\"|[^;,()\"]+))\\)\\s*$",
    "=$<word>ifs($<metric>;$<column>;$<value>)"
  ],
  [
    "^\\s*=\\s*countifs?\\s*\\((?P<pairs>[^()]+)\\)\\s*$",
    "count where if($<pairs>)"
  ],
  [
    "^\\s*=\\s*(?P<word>sum|average|max|min)ifs\\s*\\(\\s*(?P<metric>(?:\"[^\"]*\"|[^;,()\"]+))[;,](?P<pairs>[^()]+)\\)\\s*$",
    "$<word> $<metric> where if($<pairs>)"
  ],
  [
    "(?P<head> where if\\(.*?)\"(?P<sign>[<>=]*)(?P<value>(?:[-+]?\\d+(?:\\.\\d+)?%?))\"",
    "$<head>$<sign> $<value>"
  ],
  [
    "(?P<head> where if\\(.*?)\"(?P<sign>[<>=]+)(?P<value>[^\"*?~]*)\"",
    "$<head>$<sign> '$<value>'"
  ],
  [
    "(?P<head> where .*?)(?<!\\w)if\\(\\s*(?P<column>(?:\"[^\"]*\"|[^;,()\"]+))[;,]\\s*(?P<value>[<>=]*\\s*(?:\"[^\"*?~]*\"|'[^'*?~]*'|[^;,()\"']+))[;,]?",
    "$<head>$<column> is $<value> and if("
  ],
  [
    " and if\\(\\s*\\)",
    ""
  ],
  [
    "^\\s*=(?=\\s*[^\\W\\d])",
    ""
  ],
  [
    "(?<!\\w)pd\\.pivot_table\\(\\s*(?P<frame>\\w+)\\s*,\\s*",
    "$<frame>.pivot_table("
  ],
  [
    "\\.pivot_table\\(\\s*(?=['\"])",
    ".pivot_table(values="
  ],
  [
    "\\.pivot_table\\(\\s*(?=[^()]*(?<!\\w)values\\s*=\\s*(?P<values>(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\])))(?=[^()]*(?<!\\w)index\\s*=\\s*(?P<index>(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\])))(?=[^()]*(?<!\\w)columns\\s*=\\s*(?P<columns>(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\])))(?=[^()]*(?<!\\w)aggfunc\\s*=\\s*['\"]?(?P<word>\\w+))(?:(?:values|index|columns)\\s*=\\s*(?:(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\]))\\s*,?\\s*|aggfunc\\s*=\\s*['\"]?\\w+['\"]?\\s*,?\\s*){4}\\)",
    ".$<word> $<values> by $<index>, $<columns>"
  ],
  [
    "\\.pivot_table\\(\\s*(?=[^()]*(?<!\\w)values\\s*=\\s*(?P<values>(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\])))(?=[^()]*(?<!\\w)index\\s*=\\s*(?P<index>(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\])))(?=[^()]*(?<!\\w)aggfunc\\s*=\\s*['\"]?(?P<word>\\w+))(?:(?:values|index)\\s*=\\s*(?:(?:'[^']+'|\"[^\"]+\"|\\[[^\\[\\]()]*\\]))\\s*,?\\s*|aggfunc\\s*=\\s*['\"]?\\w+['\"]?\\s*,?\\s*){3}\\)",
    ".$<word> $<values> by $<index>"
  ],
  [
    ",\\s*as_index\\s*=\\s*(?:True|False)(?=\\s*[,)])",
    ""
  ],
  [
    "\\.reset_index\\(\\s*\\)",
    ""
  ],
  [
    "\\[\\s*(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*\\]\\s*\\.agg(?:regate)?\\(\\s*(?P<words>\\[[^\\[\\]]*\\]|(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*\\)",
    ".agg({$<column>: $<words>})"
  ],
  [
    "(?P<head>\\.agg(?:regate)?\\(\\s*\\{[^{}]*?)(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*:\\s*\\[\\s*(?P<word>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*,\\s*(?P<rest>[^\\[\\]]+)\\]",
    "$<head>$<column>: $<word>, $<column>: [$<rest>]"
  ],
  [
    "(?P<head>\\.agg(?:regate)?\\(\\s*\\{[^{}]*?)(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*:\\s*\\[?\\s*['\"](?P<word>\\w+)['\"]\\s*\\]?",
    "$<head>$<word> $<column>"
  ],
  [
    "(?<!\\w)\\w+\\s*=\\s*(?:pd\\.NamedAgg)?\\(\\s*(?:column\\s*=\\s*)?(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*,\\s*(?:aggfunc\\s*=\\s*)?['\"](?P<word>\\w+)['\"]\\s*\\)",
    "$<word> $<column>"
  ],
  [
    "\\.agg(?:regate)?\\(\\s*\\{?(?P<measures>[^{}()]+)\\}?\\s*\\)",
    " $<measures> "
  ],
  [
    "(?P<frame>\\w+)\\[\\s*\\k<frame>(?:\\.(?P<name>\\w+)|\\[\\s*(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*\\])\\s*(?P<rest>[<>=!]=?[^\\]]+)\\]",
    "$<frame> where $<name>$<column> $<rest> "
  ],
  [
    "\\.(?:query|filter)\\(\\s*(?P<quote>['\"])(?P<inside>.*?)\\k<quote>\\s*\\)",
    " where $<inside> "
  ],
  [
    "(?:\\.(?P<name>\\w+)|\\[\\s*(?P<column>(?:'[^']+'|\"[^\"]+\"|`[^`]+`))\\s*\\])\\.value_counts\\(\\s*\\)",
    " count by $<name>$<column>"
  ],
  [
    ",\\s*na\\.rm\\s*=\\s*T(?:RUE)?(?!\\w)",
    ""
  ],
  [
    "(?P<head>(?<!\\w)aggregate\\(\\s*(?:(?:`[^`]+`|[^\\W\\d][\\w.]*))\\s*~[^,+]*)\\+",
    "$<head> and "
  ],
  [
    "(?<!\\w)aggregate\\(\\s*(?P<column>(?:`[^`]+`|[^\\W\\d][\\w.]*))\\s*~\\s*(?P<keys>[^,()~.]+?)\\s*,\\s*(?:data\\s*=\\s*)?(?P<frame>(?:`[^`]+`|[^\\W\\d][\\w.]*))\\s*,\\s*(?:FUN\\s*=\\s*)?(?P<word>\\w+)\\s*\\)",
    "$<word> $<column> by $<keys> from $<frame>"
  ],
  [
    "(?<!\\w)(?:tapply\\(\\s*(?P<frame>\\w+)\\.(?P<column>\\w+|`[^`]+`)\\s*,\\s*\\k<frame>\\.(?P<key>\\w+|`[^`]+`)\\s*,\\s*(?:FUN\\s*=\\s*)?(?P<word>\\w+)\\s*\\))",
    "$<word> $<column> by $<key> from $<frame>"
  ],
  [
    "\\s*(?:%>%|\\|>)\\s*count\\(\\s*(?P<keys>[^()=]+)\\)",
    ".count by $<keys>"
  ],
  [
    "\\s*(?:%>%|\\|>)\\s*(?=(?:group_by|summari[sz]e|filter)\\()",
    "."
  ],
  [
    "(?P<head>\\.summari[sz]e\\((?:.*?,)?\\s*)(?<![\\w.])[^\\W\\d][\\w.]*\\s*=(?!=)\\s*",
    "$<head>"
  ],
  [
    "\\.summari[sz]e\\(",
    " "
  ],
  [
    "(?<!\\w)n\\(\\s*\\)",
    " count "
  ],
  [
    "\\.filter\\(\\s*(?P<inside>[^()]*[<>=][^()]*)\\)",
    " where $<inside> "
  ],
  [
    "(?<!\\w)PERCENTILE_CONT\\s*\\(\\s*(?P<share>(?:[-+]?\\d+(?:\\.\\d+)?%?))\\s*\\)\\s*WITHIN\\s+GROUP\\s*\\(\\s*ORDER\\s+BY\\s+(?P<column>(?:`[^`]+`|[^\\W\\d][\\w.]*)|\"[^\"]+\")(?:\\s+ASC)?\\s*\\)",
    "percentile_cont($<column>, $<share>)"
  ],
  [
    "(?P<measure>\\w+\\s*\\([^()]*\\))\\s+as\\s+(?P<name>\\w+)(?P<rest>.*?(?<!\\w)order\\s+by\\s+)\\k<name>(?!\\w)",
    "$<measure>$<rest>$<measure>"
  ],
  [
    "(?<!\\w)as\\s+\\w+",
    ""
  ]
];

export const MOST_TIMES = 20;

export const BLANKS = "\\s{41}";

export const FACTORS: Readonly<Record<string, string>> = {
  "%": "-2",
  "k": "3",
  "K": "3"
};

export const SCAN = "(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`)|(?P<date>\\d{4}-\\d\\d-\\d\\d(?![\\w-])|(?:\\d{1,2}[./]){2}\\d{4}(?!\\w))|(?P<number>[-+]?[$€£]?(?:\\d[\\d.,'\\u2019]*\\d|\\d|\\.\\d+)(?:[eE][-+]?\\d{1,3})?[%€£kK]?(?!\\w))|(?P<variable>\\$[A-Za-z_]\\w*)|(?P<word>[^\\W\\d][\\w-]*(?<!-))|(?P<sign>[<>=!]=|<>|&&|\\|\\||\\S)";

export const LEAST = 3;

export const MENDED: readonly string[] = [
  "aggregation",
  "and",
  "asc",
  "bottom",
  "by",
  "contains",
  "desc",
  "first",
  "from",
  "having",
  "limit",
  "or",
  "order",
  "top",
  "where"
];

export const MOST_CHARS = 1000;

export const MOST_NAMES = 2000;

export const SHARES: readonly string[] = [
  "quantile",
  "percentile_cont"
];

export const SKIPPED: readonly string[] = [
  "!",
  "\"",
  "'",
  "(",
  ")",
  ".",
  ":",
  ";",
  "?",
  "[",
  "]",
  "{",
  "}"
];

export const MODULES: readonly string[] = [
  "acoustics",
  "aerodynamics",
  "antennas",
  "astrodynamics",
  "astronomy",
  "bibliometrics",
  "biochemistry",
  "biodiversity",
  "boiling_and_condensation",
  "bonds",
  "calculus",
  "calendars",
  "celestial_coordinates",
  "chemical_kinetics",
  "chemistry",
  "coding_theory",
  "color",
  "combinatorics",
  "complex_numbers",
  "compositional_data",
  "concrete_design",
  "control",
  "control_valves",
  "convection",
  "cosmology",
  "credit",
  "cryptography",
  "crystallography",
  "day_counts",
  "decision",
  "dimensionless_numbers",
  "distributions",
  "ecology",
  "economics",
  "electrical",
  "electrochemistry",
  "electromagnetism",
  "electronics",
  "elementary",
  "embeddings",
  "energy",
  "environmental",
  "ephemerides",
  "epidemiology",
  "equations_of_state",
  "evapotranspiration",
  "experiments",
  "finance",
  "flash_attention",
  "flow_measurement",
  "fluids",
  "food_engineering",
  "forecast_verification",
  "fuels",
  "game_theory",
  "gas_pipelines",
  "genetics",
  "geodesy",
  "geometry",
  "geophysics",
  "graph_theory",
  "heat_transfer",
  "hydraulics",
  "hydrology",
  "hydrology_scores",
  "hypothesis",
  "identifiers",
  "image_processing",
  "inequality",
  "information_theory",
  "insurance",
  "interpolation",
  "kv_cache",
  "linalg",
  "logistics",
  "machine_design",
  "manufacturing",
  "map_projections",
  "materials",
  "math",
  "mechanics",
  "medicine",
  "meteorology",
  "metrics",
  "metrology",
  "mixing_and_separation",
  "ml",
  "moe_routing",
  "molecular_evolution",
  "music",
  "navigation",
  "networks",
  "np",
  "npf",
  "nuclear",
  "number_theory",
  "numpy",
  "numpy_financial",
  "optics",
  "optimization",
  "option_pricing",
  "pandas",
  "particle_technology",
  "pd",
  "pharmacokinetics",
  "phase_equilibrium",
  "photonics",
  "pipe_losses",
  "plasma",
  "polynomials",
  "portfolio",
  "power_systems",
  "property_estimation",
  "psychometrics",
  "pumps",
  "quality_control",
  "quantum",
  "queueing",
  "radar",
  "rag_retrieval",
  "refrigeration",
  "relativity",
  "reliability",
  "relief_valves",
  "risk",
  "rock_physics",
  "rocketry",
  "scipy",
  "seawater",
  "semiconductors",
  "signal_processing",
  "simulation",
  "sklearn",
  "sm",
  "soil_mechanics",
  "solar_energy",
  "sp",
  "spatial_statistics",
  "special",
  "spectroscopy",
  "sports",
  "st",
  "statistics",
  "stats",
  "statsmodels",
  "steel_design",
  "structural",
  "survival",
  "tanks",
  "technical_analysis",
  "text_metrics",
  "thermal_comfort",
  "thermodynamics",
  "time_scales",
  "time_series",
  "torch",
  "transportation",
  "tribology",
  "two_phase_flow",
  "vibrations",
  "water"
];

export const SUPERLATIVES: Readonly<Record<string, string>> = {
  "date": "latest newest earliest oldest",
  "number": "biggest largest highest smallest lowest höchste kleinste"
};

export const SLOTS: Readonly<Record<string, string>> = {
  "source_name": "source",
  "metric": "column",
  "group_by": "column",
  "filter": "column",
  "having": "column",
  "order_by": "column",
  "aggregation": "aggregation",
  "percent": "percent"
};

export const MEANT = "Did you mean";

export const MOST_LINES = 4;
