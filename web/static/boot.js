// Loads the module and starts the page. In a file of its own, so that the content-security policy
// needs to allow no inline script.
import init, { start } from "./inferplan_web.js";

try {
  await init({ module_or_path: new URL("inferplan_web_bg.wasm", import.meta.url) });
  start();
} catch (error) {
  const message = document.createElement("p");
  message.setAttribute("role", "alert");
  message.textContent = `inferplan could not start / 无法启动：${error}`;
  document.body.append(message);
}
