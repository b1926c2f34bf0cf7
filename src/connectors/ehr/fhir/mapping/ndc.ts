/** The 11 digits (5-4-2) of an NDC, from hyphenated 5-4-2, 4-4-2, 5-3-2, 5-4-1 or from 11 digits. Undefined for ten digits without hyphens, which do not show where the zero belongs. */
export function toNdc11(ndc: string | undefined): string | undefined {
  const sent = ndc?.trim() ?? ''
  if (/^\d{11}$/.test(sent)) return sent
  if (!/^(\d{5}-\d{4}-\d{2}|\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{5}-\d{4}-\d)$/.test(sent)) return undefined
  const [labeler = '', product = '', pack = ''] = sent.split('-')
  return labeler.padStart(5, '0') + product.padStart(4, '0') + pack.padStart(2, '0')
}
