import { createPlayedApi } from '../played-api.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** A played service in the state that the webhooks tell of: they differ in signed addresses alone. */
const api = createPlayedApi((pa, reads) => ({ pa, version: reads }))
answerParent({ reads: api.reads })
announce(api.server)
