import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { envelope, signToken } from '../support/webhook.ts'

const execute = promisify(execFile)

/** A real nginx with TLS, set up as docs/deploying.md says. */
export interface Proxy {
  /** The status of the answer to a request without a body. */
  ask(method: string, path: string): Promise<number>
  /** Sends deliveries, each once and about a resource of its own, until told to stop. */
  load(): { stop(): Promise<{ status: number }[]> }
  close(): Promise<void>
}

/** Starts nginx on a free port, with a certificate made for this test. */
export async function startProxy(
  nginx: string,
  config: string,
  folder: string,
  receiverPorts: readonly number[],
): Promise<Proxy> {
  const port = await freePort()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await execute('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', cert])
  const own = config
    .replace('127.0.0.1:3000', `127.0.0.1:${receiverPorts[0]}`)
    .replace('127.0.0.1:3010', `127.0.0.1:${receiverPorts[1]}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${cert};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/nginx-${kind};`)
    .join('\n')
  const whole = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events {} http { access_log off; ${temporary}\n${own} }`
  await writeFile(join(folder, 'nginx.conf'), whole)
  const child = spawn(nginx, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'nginx.log')], { stdio: 'ignore' })
  const ended = once(child, 'exit')

  const agent = new Agent({ keepAlive: true, ca: await readFile(cert) })
  async function send(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<number> {
    const sent = request({ host: 'localhost', port, method, path, agent, headers, servername: 'localhost' })
    sent.end(body)
    return new Promise((resolve, reject) => {
      sent.once('error', reject).once('response', (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      })
    })
  }
  await until('nginx answers', () => send('GET', '/').catch(() => false))

  function load() {
    const answers: { status: number }[] = []
    const over = new AbortController()
    const senders = Array.from({ length: 4 }, async (_, sender) => {
      for (let n = 0; !over.signal.aborted; n++) {
        const body = JSON.stringify(envelope({ id: `pa_req_${sender}_${n}`, status: 'processing' }))
        const headers = { 'content-type': 'application/json', 'x-webhook-secret': await signToken() }
        answers.push({ status: await send('POST', '/webhooks', body, headers) })
        // The machine is needed by the processes that start.
        await sleep(20)
      }
    })
    return {
      async stop() {
        over.abort()
        await Promise.all(senders)
        return answers
      },
    }
  }

  return {
    ask: (method, path) => send(method, path),
    load,
    async close() {
      agent.destroy()
      child.kill('SIGQUIT')
      await ended
    },
  }
}
