import type { Finding } from './finding.ts'
import type { Secret } from './secrets.ts'

/** Shorter secrets occur in ordinary words by chance. */
const minLength = 4

/** Removes secrets, control characters and line breaks that a system or a library may have put into its messages. */
export function hideSecrets(findings: readonly Finding[], secrets: readonly Secret[]): Finding[] {
  const forms = secrets
    .flatMap(({ value }) => [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
    .filter((form) => form.length >= minLength)
    // The longest first, since one may contain another.
    .toSorted((a, b) => b.length - a.length)

  function clean(text: string): string {
    let cleaned = text
    for (const form of forms) cleaned = cleaned.replaceAll(form, '[hidden]')
    return cleaned.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  }

  return findings.map(({ area, level, says, todo }) => ({
    area,
    level,
    says: clean(says),
    todo: todo === null ? null : clean(todo),
  }))
}
