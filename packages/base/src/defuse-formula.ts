/** What spreadsheets run as a formula: its sign, behind any white space, control or invisible characters, which some of them skip. */
const formula = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\u2212]/u
/** Behind these, some programs begin a new cell (OWASP, CSV Injection). */
const split = /^[\t\r\n]/

/** The text of a CSV cell, with an apostrophe before what a spreadsheet would run as a formula, also by a full-width or other compatible form of its sign. */
export function defuseFormula(text: string): string {
  return split.test(text) || formula.test(text.normalize('NFKC')) ? `'${text}` : text
}
