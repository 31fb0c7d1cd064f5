// Written by typescript/shapes.py from service_nb/client/advice.
/* eslint-disable max-lines */

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
    "limit first head"
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
    "in"
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
    "many how_many number_of total_number anzahl nombre_de cuantos quantos"
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

export const SCAN = "(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`)|(?P<date>\\d{4}-\\d\\d-\\d\\d(?![\\w-])|(?:\\d{1,2}[./]){2}\\d{4}(?!\\w))|(?P<number>[-+]?(?:\\d[\\d.,'\\u2019]*\\d|\\d|\\.\\d+)(?:[eE][-+]?\\d{1,3})?%?(?!\\w))|(?P<variable>\\$[A-Za-z_]\\w*)|(?P<word>[^\\W\\d][\\w-]*(?<!-))|(?P<sign>[<>=!]=|<>|&&|\\|\\||\\S)";

export const LEAST = 3;

export const MENDED: readonly string[] = [
  "aggregation",
  "and",
  "asc",
  "bottom",
  "by",
  "contains",
  "desc",
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
  "nuclear",
  "number_theory",
  "optics",
  "optimization",
  "option_pricing",
  "particle_technology",
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
  "seawater",
  "semiconductors",
  "signal_processing",
  "simulation",
  "soil_mechanics",
  "solar_energy",
  "spatial_statistics",
  "special",
  "spectroscopy",
  "sports",
  "stats",
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
  "transportation",
  "tribology",
  "two_phase_flow",
  "vibrations",
  "water"
];

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
