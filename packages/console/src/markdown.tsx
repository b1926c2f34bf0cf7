import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { Table } from '@pawl/base/pages/table'

/** One of pawl's own documents, such as docs/runbook.md. Its first heading is the title of the page; links to other documents lead to their pages. */
export function Markdown({ tokens }: { tokens: readonly Token[] }) {
  let title = ''
  return (
    <>
      {tokens.map((token) => {
        if (token.type === 'heading') title = textOf(token)
        return showBlock(token, title)
      })}
    </>
  )
}

/** The first heading. */
export function titleOf(tokens: readonly Token[]): string | undefined {
  const heading = tokens.find(({ type }) => type === 'heading')
  return heading && textOf(heading)
}

// The types of marked are open to extensions, so that a token's `type` narrows nothing.
function showBlock(token: Token, title: string): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      if (depth === 1) return null
      const Heading = depth === 2 ? 'h2' : 'h3'
      return <Heading id={slugOf(textOf(token))}>{tokens.map(showInline)}</Heading>
    }
    case 'paragraph':
      return <p>{childrenOf(token).map(showInline)}</p>
    case 'text':
      return childrenOf(token).map(showInline)
    case 'code':
      return <pre tabIndex={0}>{(token as Tokens.Code).text}</pre>
    case 'list': {
      const { ordered, items } = token as Tokens.List
      const List = ordered ? 'ol' : 'ul'
      return (
        <List>
          {items.map((item) => (
            <li>{item.tokens.map((each) => showBlock(each, title))}</li>
          ))}
        </List>
      )
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return (
        <Table<Tokens.TableCell[]>
          caption={title}
          isNamedAbove
          empty=""
          rows={rows}
          columns={header.map(({ text }, at) => ({
            name: capitalized(text),
            kind: 'wide',
            show: (row) => row[at]?.tokens.map(showInline),
          }))}
        />
      )
    }
    default:
      // Pictures and other HTML are for code hosts.
      return null
  }
}

function showInline(token: Token): ComponentChildren {
  const children = childrenOf(token).map(showInline)
  switch (token.type) {
    case 'strong':
      return <strong>{children}</strong>
    case 'em':
      return <em>{children}</em>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link': {
      const page = pageOf((token as Tokens.Link).href)
      return page === undefined ? children : <a href={page}>{children}</a>
    }
    case 'text':
    case 'escape':
      return children.length > 0 ? children : (token as Tokens.Text).text
    default:
      return null
  }
}

/** The page of a document; code and other hosts are out of reach from the console. */
function pageOf(target: string): string | undefined {
  const [, name, section = ''] = /^(?:([a-z0-9-]+)\.md)?(#[\w-]+)?$/.exec(target) ?? []
  if (name === undefined) return section === '' ? undefined : section
  return `${name === 'runbook' ? '/runbook' : `/docs/${name}`}${section}`
}

/** The id of a heading, as code hosts make it, so that the links of the document work. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

function childrenOf(token: Token): Token[] {
  return 'tokens' in token ? (token.tokens ?? []) : []
}

/** Without marks. */
function textOf(token: Token): string {
  const children = childrenOf(token)
  return children.length > 0 ? children.map(textOf).join('') : 'text' in token ? token.text : ''
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
