import { Layout } from './layout.tsx'

/** Says why something was refused. */
export function MessagePage({ title, message }: { title: string; message: string }) {
  return (
    <Layout title={title} at="/_sandbox/">
      <p class="note bad" role="alert">
        {message}
      </p>
    </Layout>
  )
}
