import { findIntegration } from '@pawl/base/integration-file'
import { describeIntegration, isInstalled } from '@pawl/base/project-folder'
import { type Finding, ok, warn } from './finding.ts'

const area = 'integration'

/** Names the integration that a process in this folder loads. An installed package has one of its own, which a project never means. */
export function examineIntegration(): Finding {
  const says = `It is ${describeIntegration()}.`
  if (!isInstalled() || findIntegration() !== undefined) return ok(area, says)
  return warn(area, says, 'If your project has another, run pawl in its folder.')
}
