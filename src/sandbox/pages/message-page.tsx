import { Layout } from './sandbox-layout.tsx'

/** Shows a refusal, with a link back to the case. */
export function MessagePage({ title, message, back }: { title: string; message: string; back?: string | undefined }) {
  return (
    <Layout title={title} at="/_sandbox/">
      <p class="note bad" role="alert">
        {message}
      </p>
      {back !== undefined && (
        <p>
          <a href={back}>Back to the case</a>
        </p>
      )}
    </Layout>
  )
}
