import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMailServer } from '../../../../../test/support/mail-server.ts'
import { startFarSide } from '../../../../testing/src/far-side.ts'

/** A running far side, and the settings that name it. */
export interface StartedFarSide {
  settings: Record<string, string>
  close(this: void): Promise<void>
}

/** A board that gives its own ids, takes no idempotency key, and is searched by reference or patient. */
async function startBoard(): Promise<StartedFarSide> {
  const cases = new Map<string, Record<string, unknown>>()
  const farSide = await startFarSide(({ method, path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://board')
    const id = pathname.split('/')[2] ?? ''
    // Its bodies are objects.
    const content = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
    if (method === 'GET') {
      const isFound = (each: Record<string, unknown>) =>
        [...searchParams].every(([name, value]) => each[name] === value)
      return { status: 200, body: [...cases.values()].filter(isFound) }
    }
    if (method === 'POST') {
      const opened = { id: randomUUID(), ...content }
      cases.set(opened.id, opened)
      return { status: 201, body: opened }
    }
    if (!cases.has(id)) return { status: 404 }
    if (method === 'DELETE') cases.delete(id)
    else cases.set(id, { ...cases.get(id), ...content })
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: cases.get(id) }
  })
  return { settings: { BOARD_URL: farSide.url }, close: farSide.close }
}

/** A register with one record under each id of ours. */
async function startRegister(): Promise<StartedFarSide> {
  const records = new Map<string, string>()
  const farSide = await startFarSide(({ method, path, body }) => {
    const held = records.get(path)
    if (method === 'PUT') records.set(path, body)
    if (method === 'GET') return held === undefined ? { status: 404 } : { status: 200, body: held }
    return { status: 204 }
  })
  return { settings: { REGISTER_URL: farSide.url }, close: farSide.close }
}

/** A hook that drops an event under an idempotency key that it has. */
async function startHook(): Promise<StartedFarSide> {
  const events = new Map<string, string>()
  const farSide = await startFarSide(({ headers, body }) => {
    const key = String(headers['idempotency-key'] ?? randomUUID())
    if (!events.has(key)) events.set(key, body)
    return { status: 202 }
  })
  return { settings: { HOOK_URL: farSide.url }, close: farSide.close }
}

/** An empty folder, for files or for a database. */
const startFolder =
  (setting: string, file = '') =>
  async (): Promise<StartedFarSide> => {
    const folder = await mkdtemp(join(tmpdir(), 'far-side-'))
    const close = () => rm(folder, { recursive: true, force: true })
    return { settings: { [setting]: join(folder, file) }, close }
  }

async function startMail(): Promise<StartedFarSide> {
  const { port, close } = await startMailServer()
  return { settings: { MAIL_URL: `smtp://127.0.0.1:${port}` }, close }
}

/** Starts a far side by its name. */
export const farSides = {
  board: startBoard,
  register: startRegister,
  hook: startHook,
  table: startFolder('TABLE_FILE', 'table.db'),
  folder: startFolder('DROP_FOLDER'),
  mail: startMail,
} as const

export type FarSideName = keyof typeof farSides
