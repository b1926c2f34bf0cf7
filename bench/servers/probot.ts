import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { secret } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

interface App {
  on(event: string, handler: () => void): void
}

/** The part of Probot that is used here. */
interface Library {
  createProbot(options: { overrides: { appId: number; privateKey: string; secret: string } }): App
  createNodeMiddleware(
    app: (probot: App) => void,
    options: { probot: App; webhooksPath: string },
  ): Promise<(req: IncomingMessage, res: ServerResponse, next: () => void) => unknown>
}

/** Probot's middleware on a server of Node, as its documentation shows: HMAC of the body verified, body parsed, one empty handler run with its context; nothing is stored. */
const name: string = 'probot'
// By a name that the compiler does not follow: Probot's own types change those of node:http for the whole program.
const { createProbot, createNodeMiddleware } = (await import(name)) as Library
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
})
const probot = createProbot({ overrides: { appId: 1, privateKey, secret } })
const middleware = await createNodeMiddleware((app) => app.on('issues', () => {}), {
  probot,
  webhooksPath: '/webhooks',
})
answerParent()
announce(
  createServer((req, res) => {
    const next = () => res.writeHead(404).end()
    void middleware(req, res, next)
  }),
)
