import { control, type Control } from '../platform/control.ts'
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

export const caseControlRoutes = (controls: CaseControls): Control[] => [
  control(
    'GET /resources/:id/story',
    { summary: 'Show the changes of status of a case with their events, oldest first' },
    ({ id }) => controls.story(id).map(({ at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry })),
  ),
]
