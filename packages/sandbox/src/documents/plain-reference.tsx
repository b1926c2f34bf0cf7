import { Table } from '@pawl/base/pages/table'
import { z } from 'zod'
import { Layout } from '../pages/sandbox-layout.tsx'

const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ summary: z.string() }))) })

/** What the reference shows without its renderer: each endpoint, where the documents are, and how to install it. */
export function PlainReference({ openApi }: { openApi: unknown }) {
  const endpoints = Object.entries(OpenApi.parse(openApi).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ call: `${method.toUpperCase()} ${path}`, summary })),
  )
  return (
    <Layout title="Reference" at="/docs">
      <p>
        For programs: <a href="/openapi.json">openapi.json</a>, <a href="/asyncapi.json">asyncapi.json</a> for the
        webhooks, <a href="/_sandbox/openapi.json">_sandbox/openapi.json</a> for the controls.
      </p>
      <p class="note">
        To read them here, with bodies, statuses and errors, install Redoc and start the sandbox again: in a checkout of
        pawl by <code>npm run reference</code>, elsewhere by <code>npm install redoc</code>.
      </p>
      <Table
        caption="Endpoints"
        rows={endpoints}
        columns={[
          { name: 'Call', show: ({ call }) => <code>{call}</code> },
          { name: 'What it does', kind: 'wide', show: ({ summary }) => summary },
        ]}
      />
    </Layout>
  )
}
