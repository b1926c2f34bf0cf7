import { list } from '@pawl/base/setting-types'

/** Subjects or contents of pawl's documents. */
export const documentKinds = [
  'prior-authorization',
  'benefit-verification',
  'prescription-transfer',
  'message',
  'staff-task',
  'letter',
  'fax',
  'attachment',
  'note',
] as const
export type DocumentKind = (typeof documentKinds)[number]

/** A receiver's own code for documents: `code`, then `kind=code` for kinds that differ. */
export const codesByKind = list(
  (item) => new RegExp(`^((${documentKinds.join('|')})=)?[\\w.-]{1,30}$`).test(item),
  'must be a code, and kind=code for kinds that differ, separated by commas, as in CN,letter=LTR',
)

/** The code of a kind; undefined if the codes name neither the kind nor one for all. */
export function codeOf(codes: readonly string[], kind: DocumentKind): string | undefined {
  const own = codes.find((each) => each.startsWith(`${kind}=`))
  return own?.slice(kind.length + 1) ?? codes.find((each) => !each.includes('='))
}
