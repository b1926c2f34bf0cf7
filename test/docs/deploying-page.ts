import { readFile } from 'node:fs/promises'
import { aDelivery } from '../../packages/ledger/test/a-delivery.ts'

/** docs/deploying.md as it stands. */
export const page = await readFile(new URL('../../docs/deploying.md', import.meta.url), 'utf8')

/** The blocks of one language in docs/deploying.md between a heading and the next; a heading that comes twice is named after the one above it. */
export function blocksUnder(headings: readonly string[], language = 'sh'): string[] {
  const section = headings.reduce((text, heading) => text.split(`\n${heading}\n`)[1] ?? '', page)
  const [own = ''] = section.split(/\n##+ /)
  return [...own.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
}

/** A delivery to a ledger, no two alike. */
export const event = (n: number) => aDelivery({ resourceId: `pa_req_${n}`, body: { n } })
