import { createServer } from 'node:http'
import express from 'express'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** Bare Express 5: read the raw body, answer 200; nothing is verified, nothing is stored. */
const app = express()
app.post('/webhooks', express.raw({ type: '*/*', limit: '4mb' }), (_req, res) => {
  res.status(200).json({})
})
answerParent()
announce(createServer((req, res) => void app(req, res)))
