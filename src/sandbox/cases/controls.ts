import { Router } from 'express'
import { success } from '../platform/answer.ts'
import type { ControlTexts } from '../platform/control-texts.ts'
import type { EventLog } from '../webhooks/event-log.ts'
import { readStory, type StoryEntry } from './read-case-story.ts'
import { type CaseReader, unknownCase } from './read-cases.ts'

/** Control over the history of a case. */
export interface CaseControls {
  /** Changes of status and events of a PA, BV, clinical qualification, status check or outreach attempt, oldest first. */
  story(id: string): StoryEntry[]
}

export function caseControls({ cases, events }: { cases: CaseReader; events: EventLog }): CaseControls {
  return {
    story: (id) => {
      const record = cases.find(id)
      if (record !== undefined) return readStory(record, events.listOf(id))
      throw unknownCase(id)
    },
  }
}

export function caseControlRoutes(controls: CaseControls): Router {
  const router = Router()
  router.get('/resources/:id/story', (req, res) => {
    const story = controls
      .story(req.params.id)
      .map(({ at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry }))
    res.json(success(story))
  })
  return router
}

export const caseControlTexts: ControlTexts = {
  'GET /resources/:id/story': { summary: 'Show the changes of status of a case with their events, oldest first' },
}
