import { createAssets } from '../../base/pages/assets.ts'
import { style } from '../../base/pages/page-style.ts'
import { sandboxStyle } from './sandbox-style.ts'

export const assets = createAssets({ at: '/_sandbox/pages/assets', style: style + sandboxStyle })
