import { z } from 'zod'
import { ErrorAnswer } from '@pawl/console/contract/route'
import { statusContract } from '@pawl/console/contract/status-contract'
import type { Config } from '../../settings/read-config.ts'
import { nearestUrl } from '@pawl/base/net/nearest-url'
import { fetchBounded, maxShortAnswerBytes } from '@pawl/base/net/read-bounded'
import { systemCodeOf } from '@pawl/base/errors'
import { ListenFailed, startServer } from '@pawl/base/net/server'
import { fail, type Finding, ok } from './finding.ts'

const area = 'ports'
const { readiness } = statusContract
const timeoutMs = 5_000

interface Listener {
  prefix: '' | 'ADMIN_'
  at: { host: string; port: number }
  path: string
  /** pawl's answer on this port. */
  answer: z.ZodType
  headers: Record<string, string>
  /** Whether it requires a login that this check does not attempt. */
  mayRefuse: boolean
}

/** Checks whether pawl can listen on the configured ports, or does already. */
export async function examinePorts({ role, host, port, admin, settings }: Config): Promise<Finding[]> {
  const authorization = `Basic ${Buffer.from(`${settings.ADMIN_USER ?? 'pawl'}:${admin.password ?? ''}`).toString('base64')}`
  const listeners: Listener[] = [
    {
      prefix: 'ADMIN_',
      at: admin,
      path: readiness.path,
      // Only the status, since another version of pawl may run there.
      answer: z.union([readiness.answer.pick({ status: true }), ErrorAnswer]),
      headers: { authorization },
      // This process has no password that the listener would accept.
      mayRefuse:
        admin.password === undefined &&
        (admin.users.length > 0 || admin.oidc !== undefined || admin.proxy !== undefined),
    },
  ]
  if (role !== 'worker')
    listeners.unshift({
      prefix: '',
      at: { host, port },
      path: '/healthz',
      answer: z.object({ status: z.literal('ok') }),
      headers: {},
      mayRefuse: false,
    })
  if (role !== 'worker' && port !== 0 && port === admin.port)
    return [fail(area, 'PORT and ADMIN_PORT are the same.', 'Set ADMIN_PORT to a port of its own.')]
  return Promise.all(listeners.map(examine))
}

async function examine(listener: Listener): Promise<Finding> {
  const { prefix, at } = listener
  const name = `${prefix}PORT`
  try {
    const server = await startServer((_req, res) => void res.writeHead(503).end(), at, prefix)
    await server.close(0)
    return ok(area, `${name} is free.`)
  } catch (error) {
    if (!(error instanceof ListenFailed)) throw error
    const holder = systemCodeOf(error.cause) === 'EADDRINUSE' ? await askWho(listener) : 'other'
    if (holder === 'pawl') return ok(area, `pawl listens on ${name}.`)
    if (holder === 'refuses' && listener.mayRefuse)
      return ok(area, `A server that requires a login listens on ${name}, as pawl does.`)
    if (holder === 'refuses')
      return fail(
        area,
        `A server listens on ${name} and refuses ADMIN_PASSWORD.`,
        `Set ADMIN_PASSWORD to the one that pawl was started with, or ${name} to another port.`,
      )
    // The message has the fault, then the remedy.
    const [says = '', todo = ''] = error.message.split(/: (?=[^:]*$)/)
    return fail(area, `${name}: ${says}.`, todo.charAt(0).toUpperCase() + todo.slice(1))
  }
}

async function askWho({ at, path, answer, headers }: Listener): Promise<'pawl' | 'refuses' | 'other'> {
  try {
    const init = { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const
    const response = await fetchBounded(nearestUrl(at) + path, init, maxShortAnswerBytes)
    if (response.status === 401) return 'refuses'
    return answer.safeParse(await response.json()).success ? 'pawl' : 'other'
  } catch {
    return 'other'
  }
}
