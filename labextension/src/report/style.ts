// Written by typescript/shapes.py from service_nb/evidence/templates/report.css.
export const STYLE = `:root { color-scheme: light dark; --ink: #1d2126; --soft: #5d6670; --paper: #fff; --rule: rgba(127, 127, 127, .35);
  --band: rgba(127, 127, 127, .08); --verified: #1f7a54; --neutral: #4d5a67; --altered: #b3332a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa3ad; --paper: #16191d;
  --verified: #5cc79a; --neutral: #aab4be; --altered: #f08177; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 48px; max-width: 1040px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 15px; font-weight: 600; margin: 0 0 12px; color: var(--soft); }
h2 { font-size: 18px; margin: 36px 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 0 0 4px; }
p { margin: 4px 0; }
code, .hash { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 13px; }
.verdict { border: 1px solid var(--rule); border-left: 5px solid; border-radius: 4px; padding: 14px 18px; }
.verdict strong { font-size: 22px; line-height: 1.3; }
.verified { border-left-color: var(--verified); } .verdict { border-left-color: var(--neutral); }
.verdict.verified { border-left-color: var(--verified); } .verdict.altered { border-left-color: var(--altered); }
.verified .sign, td.verified { color: var(--verified); } .altered .sign, td.altered, .failed { color: var(--altered); }
.fault { border: 1px solid var(--rule); border-left: 5px solid var(--altered); border-radius: 4px; padding: 10px 14px;
  margin: 10px 0; break-inside: avoid; }
.fault dl { margin: 6px 0 0; } .fault dt { font-weight: 600; } .fault dd { margin: 0 0 6px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 12px 0 0; font-size: 13px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--rule); }
th, td { padding: 5px 12px 5px 0; vertical-align: top; } td { border-bottom: 1px solid var(--band); }
.cards td:first-child, .cards th:first-child { padding-left: 6px; font-weight: 600; }
.cards th:nth-child(1) { width: 22%; } .cards th:nth-child(2) { width: 10.5em; } .cards th:nth-child(4) { width: 26%; }
th.count, td.count { text-align: right; white-space: nowrap; width: 6.5em; font-variant-numeric: tabular-nums; }
td.where { white-space: nowrap; } td.words { overflow-wrap: anywhere; min-width: 12em; }
.check { display: inline-block; white-space: nowrap; margin-right: 10px; color: var(--soft); }
.check.failed { color: var(--altered); font-weight: 600; }
dl.terms { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 8px 0 0; font-size: 13px; }
dl.terms dt { font-weight: 600; } dl.terms dd { margin: 0; min-width: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule); padding: 8px 12px; }
.answer { margin: 14px 0 0; break-inside: avoid; } .answer .figure { font-size: 20px; margin: 2px 0; }
.answer table { width: auto; } .answer th.point, .answer td.point { text-align: right; white-space: pre;
  font-variant-numeric: tabular-nums; }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --verified: #1f7a54;
  --neutral: #4d5a67; --altered: #b3332a; } body { padding: 0; max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
  .scroll { overflow: visible; } }
@page { margin: 16mm; }`;
