"""What every magic takes. Help pages, docstrings, parsing and completion all read it here."""

from __future__ import annotations

from service_nb.notebook.arguments import Flag, Usage

_AS = Flag(name="--as", value="NAME", about="assign the result to a variable")
_FROM = Flag(name="--from", value="SOURCE", about="the source, if the question names none")

CONNECT = Usage(
    magic="%service_connect",
    summary="Register a source under a name. It never changes afterwards, unless --replace takes its place.",
    forms=(
        "%service_connect NAME PATH",
        "%service_connect PATH",
        "%service_connect NAME VARIABLE",
        "%service_connect NAME --connector FILE",
        "%service_connect NAME",
    ),
    about=(
        "The second word is a variable if it is $name, or the bare name of a variable of the notebook; everything\n"
        "else, and whatever stands in quotes, is a path: CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow, SQLite, a\n"
        "folder or glob of Parquet. A path alone is named after the file, and a frame's variable alone after itself.\n"
        "A name alone connects what --persist has kept in service.toml, or else the source that the deployment has\n"
        "under it. --connector names a TOML or JSON file: the descriptor of a live source,\n"
        'in which a secret is referred to (password = "env:NAME") and not written down.'
    ),
    examples=(
        "%service_connect sales data/sales.csv --types zip=string,amount=decimal(12,2)",
        "%service_connect flights $df --alias delay=arr_delay",
        '%service_connect paid shop.sqlite --query "SELECT * FROM orders WHERE paid"',
        "%service_connect orders --connector shop.toml --table orders",
    ),
    flags=(
        Flag(name="--types", value="COLUMN=TYPE,…", about="types that replace inference"),
        Flag(name="--alias", value="NAME=COLUMN,…", about="aliases of columns"),
        Flag(name="--sheet", value="SHEET", about="the sheet of a workbook"),
        Flag(name="--connector", value="FILE", about="the descriptor of a live source, TOML or JSON"),
        Flag(name="--table", value="TABLE", about="the table of an SQLite file or a connector"),
        Flag(name="--query", value="SELECT", about="a read-only query of an SQLite file or a connector"),
        Flag(name="--delimiter", value="CHARACTER", about="the delimiter of a text file; tab for a tab"),
        Flag(name="--encoding", value="ENCODING", about="the encoding of a text file; default UTF-8"),
        Flag(name="--nulls", value="TEXT,…", about="texts that are read as null, beside the empty cell, such as NA"),
        Flag(name="--content", value="WHEN", choices=("now", "deferred"), about="when to hash large Parquet"),
        Flag(name="--replace", about="replace the source of this name, also with other reading options"),
        Flag(name="--persist", about="save the description in service.toml, without data or secrets"),
        _AS,
    ),
)

SOURCES = Usage(
    magic="%service_sources",
    summary="List the sources, connected or not, or describe one: fields, types and a few values.",
    forms=("%service_sources", "%service_sources NAME"),
    about=(
        "Connected sources come first, then those that can be connected by name: the deployment's, and what\n"
        "service.toml keeps. It waits for a deployment at most three seconds."
    ),
    examples=("%service_sources", "%service_sources flights", "flights = %service_sources flights"),
    flags=(_AS,),
)

REFRESH = Usage(
    magic="%service_refresh",
    summary="Describe a live source again: its columns and rows, or the pages that are read of it.",
    forms=("%service_refresh NAME",),
    about="Plans for the old columns are refused from then on. Existing cards do not change, and verify.",
    examples=("%service_refresh orders", "orders = %service_refresh orders", "%service_refresh orders --as orders"),
    flags=(_AS,),
)

DISCONNECT = Usage(
    magic="%service_disconnect",
    summary="Disconnect a source. Its name can be used again in this session.",
    forms=("%service_disconnect NAME",),
    about="The deployment keeps the source. Recorded results stay.",
    examples=("%service_disconnect orders", "%service_disconnect sales --persist", '%service_disconnect "my sales"'),
    flags=(Flag(name="--persist", about="also remove it from service.toml"), _AS),
)

FORGET = Usage(
    magic="%service_forget",
    summary="Delete a source here, in service.toml and, with its secrets, at the deployment, for all its users.",
    forms=("%service_forget NAME", "%service_forget --connector ID"),
    about="Recorded results stay in every ledger. A connector can be deleted when no source uses it.",
    examples=(
        "%service_forget orders",
        "places = %service_forget orders",
        "%service_forget --connector connector_0123",
    ),
    flags=(Flag(name="--connector", value="ID", about="a connector that create_connector made, by its id"), _AS),
)

ASK = Usage(
    magic="%service_ask",
    summary="Ask a question about a source. Shows a card with the exact answer, or the reason why it was not run.",
    forms=(
        "%service_ask AGGREGATION [METRIC] [by COLUMN, …] [from SOURCE] [where …] [order asc|desc] [limit N]",
        "%%service_ask [options], with the question in the cell: the same line, or the spec as YAML or JSON",
    ),
    about=(
        "In a cell, a text that opens with { is JSON, one whose first line is `key: …` is YAML, and every other is a\n"
        "line. A semicolon at the end hides the card; the value is still returned."
    ),
    examples=(
        "%service_ask avg arr_delay by carrier from flights where month = 7 order asc limit 5",
        "delays = %service_ask count by origin from flights where dep_delay > 60 --rows none",
        (
            "%%service_ask --as late --chart\n"
            "metric: arr_delay\naggregation: avg\ngroup_by: [origin]\nsource_name: flights"
        ),
    ),
    flags=(
        _AS,
        _FROM,
        Flag(name="--rows", value="WHICH", choices=("all", "none"), about="none: the card holds no values"),
        Flag(name="--chart", about="draw a chart below the card"),
        Flag(name="--timeout", value="SECONDS", about="stop after this time"),
    ),
)

EXPLAIN = Usage(
    magic="%service_explain",
    summary="Show the plan of a question without running it, or why it would be refused.",
    forms=(
        "%service_explain QUESTION, as in %service_ask",
        "%%service_explain, with the question in the cell",
        "%service_explain $plan, to check a stored plan",
    ),
    examples=(
        "%service_explain sum distance by carrier from flights",
        "%service_explain avg delay from flights",
        "%service_explain $plan",
    ),
    flags=(_AS, _FROM),
)

COMPUTE = Usage(
    magic="%service_compute",
    summary="Run a capability. Shows a card with the value, the formula, its source and the hashes.",
    forms=(
        "%service_compute MODULE.FUNCTION PARAMETER=VALUE … [seed=N] [where …]",
        "%%service_compute [options], with the computation in the cell: the same line, or the spec as YAML or JSON",
    ),
    about=(
        "A value is a number, 'text', a list such as [-1000, 300], a column SOURCE.FIELD, or a variable $NAME.\n"
        "Columns of one source are bound row by row; `where` selects their rows, in the words of %service_ask."
    ),
    examples=(
        "%service_compute finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]",
        "late = %service_compute stats.median values=flights.arr_delay where month = 7 --null-policy drop",
        (
            "%%service_compute --as price\n"
            "option_pricing.black_scholes_call\nspot=42 strike=40 time=0.5 rate=0.1 volatility=0.2"
        ),
    ),
    flags=(
        _AS,
        Flag(
            name="--null-policy",
            value="POLICY",
            choices=("refuse", "drop"),
            about="what to do with nulls in a bound column",
            also="--nulls",
        ),
        Flag(name="--over", value="COLUMN", about="compute once for each value of a column of the bound source"),
        Flag(name="--timeout", value="SECONDS", about="stop the computation after this time"),
    ),
)

SEARCH = Usage(
    magic="%service_search",
    summary="Search capabilities by name, by words or beginnings of words; small misspellings are tolerated.",
    forms=("%service_search WORDS",),
    examples=("%service_search net present value", "%service_search student quantile --limit 3", "%service_search npv"),
    flags=(Flag(name="--limit", value="N", about="how many to show; 10 by default"), _AS),
)

HELP_PAGE = Usage(
    magic="%service_help",
    summary="Show a capability: parameters, units, domains, formula, source, cases, and a line that runs.",
    forms=("%service_help MODULE.FUNCTION",),
    examples=("%service_help finance.npv", "%service_help stats.median", "page = %service_help special.gamma"),
    flags=(_AS,),
)

POLICY = Usage(
    magic="%service_policy",
    summary="Show what this notebook may see and call. A policy is set in code and only ever narrowed.",
    forms=("%service_policy",),
    examples=("%service_policy", "policy = %service_policy", "%service_policy --as policy"),
    flags=(_AS,),
)

LOGIN = Usage(
    magic="%service_login",
    summary="Make the device key that local computation needs: once, free, offline.",
    forms=("%service_login",),
    about="A second login changes nothing. `service-nb logout` removes the key.",
    examples=("%service_login", "device = %service_login", "%service_login --as device"),
    flags=(_AS,),
)

DOCTOR = Usage(
    magic="%service_doctor",
    summary="Check libraries, contract, login, runtime and engine, and that known values come out exactly.",
    forms=("%service_doctor",),
    about="A runtime that is installed is started and asked; nothing is installed.",
    examples=("%service_doctor", "%service_doctor --parity --strict", "report = %service_doctor"),
    flags=(
        Flag(name="--parity", about="compare the contract's hash in this package and in the runtime"),
        Flag(name="--strict", about="treat warnings as failures"),
        _AS,
    ),
)

VERIFY = Usage(
    magic="%service_verify",
    summary="Check evidence without running anything: hashes, signature, place in the ledger.",
    forms=(
        "%service_verify, the last result of this session",
        "%service_verify all, every result of this session",
        "%service_verify RESULT_ID | $variable | FILE",
    ),
    about=(
        "FILE is a notebook, a card, a ledger or a document of one. Without --key any signature that holds will do,\n"
        "and the card says whose it is; with it, only that signer's cards pass."
    ),
    examples=("%service_verify", "%service_verify all", "%service_verify claims.ipynb --key author.key"),
    flags=(
        Flag(name="--key", value="KEY", about="a public key that is trusted, in base64 or as a file"),
        Flag(name="--report", value="FILE", about="write the report: .html, .json, .xml (JUnit) or .txt"),
        _AS,
    ),
)

REPLAY = Usage(
    magic="%service_replay",
    summary="Run stored results again, and compare every value: identical, differs (by how much, and why), refused.",
    forms=(
        "%service_replay, the last result of this session",
        "%service_replay all, every result of this session",
        "%service_replay RESULT_ID | $variable | FILE",
    ),
    about="Sources are found by what they were and by the digest of their content; --source says where one is now.",
    examples=(
        "%service_replay",
        "%service_replay all --report replay.html",
        "%service_replay claims.ipynb --source sales=data/sales.csv",
    ),
    flags=(
        Flag(name="--source", value="NAME=PATH,…", about="where a source is now; its content must agree"),
        Flag(name="--report", value="FILE", about="write the report: .html, .json or .txt"),
        _AS,
    ),
)

LOG = Usage(
    magic="%service_log",
    summary="List what the project's ledger has recorded: answers, refusals, errors, computations, replays.",
    forms=("%service_log",),
    examples=("%service_log", "%service_log --limit 5 --kind query", "entries = %service_log"),
    flags=(
        Flag(name="--limit", value="N", about="how many to show; 20 by default"),
        Flag(
            name="--kind",
            value="KIND",
            choices=("query", "computation", "clarification", "rejection", "error", "replay"),
            about="only those",
        ),
        _AS,
    ),
)

CHECK = Usage(
    magic="%service_check",
    summary="Compare the last result with an answer key, which does not hold the answer.",
    forms=("%service_check EXERCISE",),
    about="The key is the *.servicekey.json beside the notebook, or what --key names.",
    examples=("%service_check median_delay", "%service_check slope --key answers.servicekey.json", "%service_check q1"),
    flags=(Flag(name="--key", value="FILE", about="the answer key"), _AS),
)

PANEL = Usage(
    magic="%service_panel",
    summary="Open the panel: forms that ask and compute, each list of what is valid. What runs becomes a card.",
    forms=("%service_panel",),
    about=(
        "Run puts the card of an answer below the panel, as an output of its cell, and in the ledger like any other;\n"
        "Copy line puts the magic that says the same into a new cell. Needs the extra service-nb[ui]."
    ),
    examples=("%service_panel", "panel = %service_panel", "%service_panel --as panel"),
    flags=(_AS,),
)

LAST_ERROR = Usage(
    magic="%service_last_error",
    summary="Show the last error of service_nb: its code, its facts, and on request the whole traceback.",
    forms=("%service_last_error",),
    examples=("%service_last_error", "%service_last_error --full", "error = %service_last_error"),
    flags=(Flag(name="--full", about="with the whole chain of tracebacks; it may name paths on this machine"), _AS),
)

USAGES = (
    *(CONNECT, SOURCES, REFRESH, DISCONNECT, FORGET),
    *(ASK, EXPLAIN, COMPUTE, SEARCH, HELP_PAGE),
    *(VERIFY, REPLAY, LOG, CHECK),
    *(POLICY, LOGIN, DOCTOR, PANEL, LAST_ERROR),
)
