/** The start of a formula in a spreadsheet: its sign, after any white space, control or invisible characters, which some spreadsheets skip. */
const formula = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\u2212]/u
/** Some programs begin a new cell after these characters (OWASP, CSV Injection). */
const split = /^[\t\r\n]/

/** The text of a CSV cell, with an apostrophe before anything that may run as a formula. Full-width and other compatible forms of the sign count too. */
export function defuseFormula(text: string): string {
  return split.test(text) || formula.test(text.normalize('NFKC')) ? `'${text}` : text
}
