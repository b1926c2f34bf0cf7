import { Layout, type MenuAddress } from './console-layout.tsx'

/** A page with one message, such as an error. */
export function MessagePage({ title, at, message }: { title: string; at?: MenuAddress; message: string }) {
  return (
    <Layout title={title} at={at}>
      <p class="note bad" role="alert">
        {message}
      </p>
    </Layout>
  )
}
