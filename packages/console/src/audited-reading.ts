import type { Request } from 'express'
import type { FindResources } from './story/find-resources.ts'
import type { ReadStory } from './story/read-story.ts'
import type { Matches, Story } from './contract/story.ts'
import { readActor } from './actor.ts'
import type { Search } from '@pawl/ledger/views/find'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'

export interface AuditedReadingDeps {
  readStory: ReadStory
  findResources: FindResources
  /** Records the reader; if it rejects, nothing is shown. */
  audit: AuditTrail['audit']
}

/** Reads single resources from the ledger and records the reader. */
export interface AuditedReading {
  /** `undefined` if no resource has this id. */
  story(this: void, req: Request, id: string, part: Parameters<ReadStory>[1]): Promise<Story | undefined>
  find(this: void, req: Request, sought: Search, limit: number): Promise<Matches>
}

/** Makes audited reading, for the API and the pages. */
export function createAuditedReading({ readStory, findResources, audit }: AuditedReadingDeps): AuditedReading {
  return {
    async story(req, id, part) {
      const story = await readStory(id, part)
      if (story !== undefined) await audit({ actor: readActor(req), action: 'resource.view', resourceId: story.id })
      return story
    },
    async find(req, sought, limit) {
      const found = await findResources(sought, limit)
      // Omit the number, which may be a patient's.
      const details = { fields: sought.fields ?? [], count: found.matches.length }
      await audit({ actor: readActor(req), action: 'resource.find', details })
      return found
    },
  }
}
