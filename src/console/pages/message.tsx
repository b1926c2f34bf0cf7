import { Layout, type MenuAddress } from './console-layout.tsx'

/** A page that says one thing, such as why there is nothing to see. */
export function MessagePage({ title, at, message }: { title: string; at?: MenuAddress; message: string }) {
  return (
    <Layout title={title} at={at}>
      <p class="note bad" role="alert">
        {message}
      </p>
    </Layout>
  )
}
