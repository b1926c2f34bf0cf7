import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { codedRefusal } from '../../platform/refusal.ts'
import { compact } from '../../platform/wire.ts'
import type { Run } from '../../scenarios/run-progress.ts'
import { shippedNames, shippedScenario } from '../../scenarios/shipped-scenarios.ts'
import { callItself } from '../call-itself.ts'
import { optionalText, readForm, text } from '../read-form.ts'
import { RunPage, ScenariosPage } from './scenarios-page.tsx'

const PlayForm = z.object({ name: text, organization: optionalText })

/** Answer of the control: a completed run, or a refusal with the failed run. */
const Played = z.union([
  z.object({ data: z.custom<Run>((given) => typeof given === 'object') }).transform(({ data }) => data),
  z
    .object({ error: z.object({ run: z.custom<Run>((given) => typeof given === 'object') }) })
    .transform(({ error }) => error.run),
])

/** Pages of the scenarios and of a run. */
export function scenarioPageRoutes({
  controls,
}: {
  controls: Pick<Controls, 'listOrganizations' | 'issueToken'>
}): Router {
  const router = Router()

  router.get('/pages/scenarios', (_req, res) => {
    const scenarios = shippedNames().flatMap((name) => {
      const scenario = shippedScenario(name)
      return scenario === undefined ? [] : [{ name, summary: scenario.summary, steps: scenario.steps.length }]
    })
    const organizations = controls.listOrganizations().map(({ id }) => id)
    sendHtml(res, <ScenariosPage scenarios={scenarios} organizations={organizations} />)
  })

  router.post('/pages/scenarios', async (req, res) => {
    const { name, organization } = readForm(PlayForm, req)
    const token = await controls.issueToken(organization)
    const body = JSON.stringify(compact({ name, organization }))
    const answer = await callItself(req, { method: 'post', token, path: '/_sandbox/scenarios', body })
    const played = Played.safeParse(answer.json)
    if (!played.success)
      throw codedRefusal(answer.status ?? 502, {
        title: 'The scenario did not run',
        description: answer.text,
        code: 'scenario_failed',
      })
    sendHtml(res, <RunPage run={played.data} />)
  })

  return router
}
