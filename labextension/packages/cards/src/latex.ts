const MATHEMATICS = /^[A-Za-z0-9 \\{}^_+\-*/=().,|[\]<>!&:;']+$/;
// What ends the mathematics, or makes a link, a style, a definition or a file of it.
const MORE =
  /<[A-Za-z/!?]|\\(?:[()[\]]|href|url|class|cssId|style|html|data|require|[gex]?def|(?:re|provide)?newcommand|let|renewcommand|input|include|write|catcode|unicode|bbox|special|csname|tag|label|ref)/;

/** Whether LaTeX is a formula and nothing else: no link, no definition, no end of the mathematics around it. */
export function isPlainLatex(text: string): boolean {
  return MATHEMATICS.test(text) && !MORE.test(text);
}
