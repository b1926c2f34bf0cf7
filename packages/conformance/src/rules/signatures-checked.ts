import { notApplicable, passUnless, type Rule } from './rule.ts'

/** pawl refuses a delivery signed with a wrong secret. */
export const signaturesChecked: Rule = {
  id: 'signatures-checked',
  title: 'Wrong secrets refused',
  judge({ strange }) {
    const forged = strange.filter(({ what }) => what === 'wrong secret')
    if (forged.length === 0) return notApplicable('no delivery was signed with a wrong secret')
    return passUnless(
      forged
        .filter(({ status }) => status !== 401 && status !== 403)
        .map(({ status }) => `a delivery with a wrong secret was answered with ${status}`),
    )
  },
}
