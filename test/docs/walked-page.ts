/** A block of a page for one step: a command, a file, the output of a command, or a running log. */
export interface PageBlock {
  kind: 'sh' | 'ts' | 'text' | 'log'
  text: string
}

/** The blocks of a page in their order, by the headings that they stand below. */
export function readWalk(page: string): { title: string; blocks: PageBlock[] }[] {
  return page.split(/^## /m).map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    blocks: [...section.matchAll(/^( *)```(sh|ts|text|log)\n([^]*?)^\1```$/gm)].map(
      ([, indent = '', kind, text = '']) => ({
        // It is one of those that the pattern names.
        kind: kind as PageBlock['kind'],
        text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  }))
}

/** A text with what differs from run to run put out of sight: ids, times, durations, hashes. */
function normalise(text: string): string[] {
  return (
    text
      // eslint-disable-next-line eslint/no-control-regex -- colours begin with a control character
      .replaceAll(/\u001B\[\d*m/g, '')
      .replaceAll(/\b(pa_req|bv)_[0-9a-z]{20}\b/g, '$1_ID')
      .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
      .replaceAll(/\b\d+ (steps|lists of steps)\b/g, 'N $1')
      .replaceAll(/\b\d+(\.\d+)? ?m?s\b/g, 'DURATION')
      .replaceAll(/\[main [0-9a-f]+\]/g, '[main HASH]')
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
  )
}

/** The first line shown that the text does not have, in this order; `undefined` where it has all. `…` stands for anything. */
export function findMissing(shown: string, text: string): string | undefined {
  const lines = normalise(text)
  let from = 0
  for (const line of normalise(shown)) {
    if (line === '…') continue
    const pattern = new RegExp(`^${line.split('…').map(escape).join('.*')}$`)
    const at = lines.findIndex((each, index) => index >= from && pattern.test(each))
    if (at === -1) return line
    from = at + 1
  }
  return undefined
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
