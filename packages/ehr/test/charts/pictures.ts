import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../../../console/test/browser.ts'
import { charts, type Seen } from './journey.ts'

// Takes the pictures of docs/ehr.md: what the charts of the tests hold after one journey, by default.
const images = fileURLToPath(new URL('../../../../docs/images/', import.meta.url))

const style = `
* { box-sizing: border-box; margin: 0 }
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1f29; background: #fff }
header { padding: 14px 20px; border-bottom: 1px solid #d6dae1 }
h1 { font-size: 18px }
header p, span, nav p { color: #5b6472 }
main { display: grid; grid-template-columns: 340px 1fr; height: 548px }
nav { border-right: 1px solid #d6dae1; overflow: hidden }
ul { list-style: none; padding: 0 }
li { padding: 10px 20px; border-bottom: 1px solid #eceef2 }
li.open { background: #eef3fb }
b { display: block; font-weight: 600 }
span, nav p { font-size: 12px }
nav p { padding: 12px 20px }
article { overflow: hidden; padding: 16px 20px }
pre { font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap }
iframe { border: 0; width: 100%; height: 100% }`

await mkdir(images, { recursive: true })
const browser = await startBrowser()
try {
  for (const [name, play] of charts) {
    const { seen, listed } = await play({})
    const page = await browser.newPage({ viewport: { width: 1_000, height: 620 } })
    await page.setContent(pageOf(name, seen, listed))
    await page.screenshot({ path: `${images}chart-${name.toLowerCase().replaceAll(' ', '-')}.png` })
    await page.close()
  }
} finally {
  await browser.close()
}

/** A chart's list of documents beside the one that is opened first: the result of the PA. */
function pageOf(name: string, seen: readonly Seen[], listed: number): string {
  const opened = seen.find(({ kind, title }) => kind === 'document' && /prior authorization/i.test(title)) ?? seen[0]
  const items = seen.map(
    (each) =>
      `<li class="${each === opened ? 'open' : ''}"><b>${escape(each.title)}</b><span>${escape(`${each.kind}; ${each.facts}`)}</span></li>`,
  )
  const body = opened?.body ?? { text: '' }
  const content =
    'html' in body ? `<iframe sandbox srcdoc="${escape(body.html)}"></iframe>` : `<pre>${escape(body.text)}</pre>`
  const files =
    listed === 0 ? '' : `<p>${listed} ${listed === 1 ? 'file' : 'files'} in the list For people, not in the chart</p>`
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
<header><h1>${escape(name)}</h1><p>Testa Sample, born 1970-01-31</p></header>
<main><nav><ul>${items.join('')}</ul>${files}</nav><article>${content}</article></main>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
