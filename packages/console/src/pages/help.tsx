import { lexer } from 'marked'
import { Markdown, titleOf } from '../markdown.tsx'
import { Layout, type MenuAddress, pages } from './console-layout.tsx'
import { Table } from '@pawl/base/pages/table'

/** A document of pawl as a page. */
export function DocumentPage({ text, at }: { text: string; at: MenuAddress }) {
  const tokens = lexer(text)
  return (
    <Layout title={titleOf(tokens) ?? 'Document'} at={at}>
      <Markdown tokens={tokens} />
    </Layout>
  )
}

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], 'Search'],
  [['?'], 'This page'],
  [['j'], 'Next link of a list'],
  [['k'], 'The one before'],
  [['Enter'], 'Open the link'],
  [['Esc'], 'Leave a field'],
]

/** The keys of all pages, the words, and links to the documents. */
export function HelpPage() {
  const goes = pages.filter(([, , key]) => key !== '?').map(([, name, key]) => [['g', key], name] as const)
  return (
    <Layout title="Keys and help" at="/help">
      <p>
        In an outage, start with the <a href="/">overview</a>: it shows the faults and their remedies. The{' '}
        <a href="/runbook">runbook</a> has the steps. <code>pawl --help</code> lists the commands, which do the same
        from a terminal.
      </p>
      <h2>Words</h2>
      <dl class="content">
        <dt class="bad">Parked</dt>
        <dd>Out of attempts, or failed in a way that no retry fixes: it waits until you retry it.</dd>
        <dt class="warn">Failing</dt>
        <dd>It failed, and pawl retries it automatically.</dd>
        <dt class="wait">Waiting</dt>
        <dd>It waits for a system that is away or for a pause to end; it uses up no attempts.</dd>
        <dt>For people</dt>
        <dd>A person must act at the service before the case can go on.</dd>
      </dl>
      <Table
        caption="Keys"
        rows={[...keys, ...goes]}
        columns={[
          {
            name: 'Press',
            show: ([pressed]) => pressed.map((key, at) => [at > 0 && ' then ', <kbd key={key}>{key}</kbd>]),
          },
          { name: 'To', show: ([, what]) => what },
        ]}
      />
    </Layout>
  )
}
