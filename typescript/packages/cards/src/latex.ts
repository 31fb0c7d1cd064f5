const MATHEMATICS = /^[A-Za-z0-9 \\{}^_+\-*/=().,|[\]<>!&:;']+$/;
// A tag, an end of the mathematics, half a command, an environment that is none of formulas.
const MORE = /<[A-Za-z/!?]|\\(?:[()[\]]|$|(?:begin|end)(?!\{(?:cases|aligned)\}))/;
const COMMAND = /\\(?:([A-Za-z]+)|.)/g;

// The commands of formulas, as `service_nb/cards/blocks.py` has them. MathJax has hundreds, some of which make links and
// styles, and others define commands anew, for every formula of the page. So these are all that are obeyed.
const COMMANDS: ReadonlySet<string> = new Set(
  (
    "frac sqrt left right mathrm mathbf mathsf mathcal text operatorname phantom binom sum prod int partial sin cos tan " +
    "arcsin arccos arctan sinh cosh tanh ln log exp min max arg bmod lceil rceil lfloor rfloor le ge ne in pm cdot times " +
    "circ sim infty ell hbar top perp ldots ddagger quad bar dot hat tilde overline xrightarrow alpha beta gamma delta " +
    "epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega Gamma Delta Lambda " +
    "Pi Sigma Phi Psi Omega cap cup begin end"
  ).split(" "),
);

// The longest of the contract has four thousand. A typesetter takes minutes for a hundred thousand, and the page with it.
const MOST_CHARS = 5_000;

/** Whether LaTeX is a formula and nothing else: no link, no definition, no end of the mathematics around it. */
export function isPlainLatex(text: string): boolean {
  if (text.length > MOST_CHARS || !MATHEMATICS.test(text) || MORE.test(text)) return false;
  return Array.from(text.matchAll(COMMAND)).every(([, name]) => name === undefined || COMMANDS.has(name));
}
