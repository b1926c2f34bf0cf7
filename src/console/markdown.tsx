import type { ComponentChildren } from 'preact'
import { Table } from '../base/pages/table.tsx'

/** The part of Markdown that docs/runbook.md uses: headings, paragraphs, tables, code, links, bold and italic text. */
export function Markdown({ text }: { text: string }) {
  return <>{blocksOf(text).map((block) => showBlock(block))}</>
}

/** Text between blank lines; a block of code stays whole. */
function blocksOf(text: string): string[] {
  return (text.match(/```[\s\S]*?\n```|(?:(?!\n\s*\n)[\s\S])+/g) ?? []).map((block) => block.trim()).filter(Boolean)
}

function showBlock(block: string) {
  const code = /^```\w*\n([\s\S]*?)\n?```$/.exec(block)
  if (code) return <pre tabIndex={0}>{code[1]}</pre>
  const heading = /^(#{1,3}) (.+)$/.exec(block)
  if (heading) {
    const [, marks = '', title = ''] = heading
    // The page has its own first heading.
    return marks === '#' ? null : <h2 id={slugOf(title)}>{showInline(title)}</h2>
  }
  if (block.startsWith('|')) return showTable(block)
  return <p>{showInline(block)}</p>
}

/** The id of a heading, as code hosts make it, so that the links of the document work. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

function showTable(block: string) {
  const [names = [], , ...rows] = block.split('\n').map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
  return (
    <Table<readonly string[]>
      caption="Symptoms"
      empty=""
      rows={rows}
      columns={names.map((name, at) => ({
        name: name.trim(),
        kind: 'wide',
        show: (row) => showInline(row[at]?.trim() ?? ''),
      }))}
    />
  )
}

const inline = /`([^`]+)`|\*\*([^*]+)\*\*|_([^_]+)_|\[([^\]]+)\]\(([^)]+)\)/

function showInline(text: string): ComponentChildren[] {
  const found = inline.exec(text)
  if (found === null) return [text]
  const [all, code, bold, italic, label = '', target = ''] = found
  const shown =
    code !== undefined ? (
      <code>{code}</code>
    ) : bold !== undefined ? (
      <strong>{showInline(bold)}</strong>
    ) : italic !== undefined ? (
      <em>{italic}</em>
    ) : target.startsWith('#') ? (
      <a href={target}>{showInline(label)}</a>
    ) : (
      // Other documents are beside the code, and not served.
      <>
        {!label.endsWith('.md') && [showInline(label), ' in ']}
        <code>docs/{target}</code>
      </>
    )
  return [text.slice(0, found.index), shown, ...showInline(text.slice(found.index + all.length))]
}
