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

/** Drops a database and writes what is left of it to the disk, so that no one else's measurement pays for it. */
export function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const other = new URL(url)
  other.pathname = '/postgres'
  return ask(other.href, async (client) => {
    await client.query(`drop database ${name} with (force)`)
    await client.query('checkpoint')
  })
}

async function ask(url: string, question: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await question(client)
  } finally {
    await client.end()
  }
}
