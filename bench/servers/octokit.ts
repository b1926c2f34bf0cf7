import { createServer } from 'node:http'
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import { secret } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** The middleware of @octokit/webhooks: HMAC of the body verified, body parsed, one empty handler run; nothing is stored. */
const webhooks = new Webhooks({ secret })
webhooks.on('issues', () => {})
const middleware = createNodeMiddleware(webhooks, { path: '/webhooks' })
answerParent()
announce(createServer((req, res) => void middleware(req, res)))
