import { Layout, menuEntryOf } from './sandbox-layout.tsx'

interface MessagePageProps {
  title: string
  message: string
  code?: string | undefined
  /** The requested path. */
  path: string
  /** The case that the form belongs to. */
  ofCase?: string | undefined
}

/** Shows a refusal with its code, and a link back to the case or the menu's page. */
export function MessagePage({ title, message, code, path, ofCase }: MessagePageProps) {
  const [at, name] = menuEntryOf(path)
  return (
    <Layout title={title} at={at}>
      <p class="note bad" role="alert">
        {message}
      </p>
      {code !== undefined && (
        <p>
          Code: <code>{code}</code>
        </p>
      )}
      <p>{ofCase === undefined ? <a href={at}>Back to {name}</a> : <a href={ofCase}>Back to the case</a>}</p>
    </Layout>
  )
}
