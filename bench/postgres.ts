import { Client } from 'pg'

/** Throws unless this PostgreSQL waits for its disk at every commit, as the ledger on SQLite does. */
export function assertDurable(url: string): Promise<void> {
  return ask(url, async (client) => {
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      const { rows } = await client.query<Record<string, string>>(`show ${setting}`)
      if (rows[0]?.[setting] !== 'on') throw new Error(`PostgreSQL runs with ${setting}=${rows[0]?.[setting]}.`)
    }
  })
}

/** The process that serves a connection of a PostgreSQL; its parent is the server. */
export function processOf(url: string): Promise<number> {
  return ask(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid ?? NaN
  })
}

async function ask<T>(url: string, question: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await question(client)
  } finally {
    await client.end()
  }
}
