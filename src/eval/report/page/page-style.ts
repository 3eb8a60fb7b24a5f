/** The style of the page, for light and dark. Colours tell apart also for people who see few of them. */
export const pageStyle = `
:root{color-scheme:light dark;--text:#1b1b1f;--soft:#62626b;--line:#d5d5dc;--back:#fff;--panel:#f6f6f8;--good:#1f6fb4;--bad:#d9730d;--error:#222;--none:#b9b9c0}
@media (prefers-color-scheme:dark){:root{--text:#ececf0;--soft:#a2a2ad;--line:#3a3a42;--back:#151518;--panel:#1f1f24;--good:#5aa9e6;--bad:#f0974a;--error:#e8e8e8;--none:#55555e}}
*{box-sizing:border-box}
body{margin:0;font:15px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back)}
main{max-width:1100px;margin:0 auto;padding:16px}
h1{font-size:20px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:16px;margin:28px 0 8px;overflow-wrap:anywhere}
p,li{overflow-wrap:anywhere}
.soft{color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.trials th,.trials td{white-space:nowrap;overflow-wrap:normal}
.trials .name{max-width:260px;overflow:hidden;text-overflow:ellipsis}
.trials .why{white-space:normal;overflow-wrap:anywhere;min-width:280px;width:100%}
.trials .number{text-align:right}
@media (max-width:700px){
.trials,.trials tbody{display:block}
.trials tr{display:flex;flex-wrap:wrap;gap:0 12px;padding:4px 0;border-bottom:1px solid var(--line)}
.trials th,.trials td{border:0;padding:0}.trials td:empty{display:none}
.trials .name{max-width:100%}.trials .why{flex-basis:100%;min-width:0}
.trials td.number::before{content:attr(data-name) " ";color:var(--soft)}
}
th button{all:unset;cursor:pointer;font-weight:600}
th button:focus-visible,tr:focus-visible,button:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--good);outline-offset:1px}
tbody tr[tabindex]{cursor:pointer}tbody tr[tabindex]:hover{background:var(--panel)}
.gate{padding:4px 10px;border-left:4px solid var(--none);background:var(--panel);margin:4px 0;overflow-wrap:anywhere}
.gate-pass{border-color:var(--good)}.gate-fail{border-color:var(--bad)}
.plot{width:100%;max-width:600px;height:auto;display:block;font-size:12.5px;fill:var(--text)}
.plot line{stroke:var(--line)}.plot .interval{stroke:var(--good);stroke-width:3}.plot .point{fill:var(--good)}
.plot .cell{fill:var(--good)}
.facts dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:4px 0}.facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}
.draws td{color:var(--soft)}
code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.plot .bar,.plot .difference{fill:var(--good)}.plot .axis text{fill:var(--soft)}
.plot .steps{fill:none;stroke:var(--good);stroke-width:2}.plot .line-1 .steps{stroke:var(--bad)}.plot .line-2 .steps{stroke:var(--soft)}.plot .line-3 .steps{stroke:var(--error)}
.ending-success{fill:var(--good)}.ending-failure{fill:var(--bad)}.ending-errored{fill:var(--error)}.ending-unscored,.ending-other{fill:var(--none)}
details{margin:6px 0}summary{cursor:pointer;color:var(--soft)}
details table{max-height:400px}
.tools{display:flex;flex-wrap:wrap;gap:8px;margin:8px 0;align-items:center}
input,select,button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:3px 8px}
dialog{width:min(960px,96vw);max-height:92vh;overflow:auto;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:6px}
dialog::backdrop{background:rgba(0,0,0,.5)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:2px 0;font:13px/1.4 ui-monospace,monospace}
.summary{white-space:pre;overflow-wrap:normal}
.message{border-left:3px solid var(--line);padding:2px 10px;margin:8px 0}.message.user{border-color:var(--good)}.message.tool{border-color:var(--bad)}.message.system{border-left-style:dashed}
.message b{font-size:12px;color:var(--soft)}
`;
