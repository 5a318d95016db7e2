"""A part of Jupyter's server, which the wheel enables: the page of ``memviz view`` for a file below the server's folder.

JupyterLab shows it when a snapshot is opened (python/jupyter in memviz's source).
"""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.contents.fileio import FileManagerMixin
from jupyter_server.utils import ApiPath, to_os_path, url_path_join
from tornado import web

from memviz_torch import Error, SnapshotWarning, view


class ViewHandler(JupyterHandler):
    """Makes the page of a file, or says in memviz's words why there is none."""

    auth_resource = "contents"

    @property
    def content_security_policy(self) -> str:
        """The page has no origin (sandbox), so that its scripts cannot reach the server; next to the page's own policy."""
        return f"{super().content_security_policy}; sandbox allow-scripts allow-downloads"

    @web.authenticated
    @authorized
    async def get(self, path: str) -> None:
        # Only from the server's own pages, or where the user has put in the address: a browser says that itself.
        if self.request.headers.get("Sec-Fetch-Site") != "none":
            self.check_xsrf_cookie()
        file = await self._file_of(path)
        self.set_header("Cache-Control", "no-store")
        try:
            page = await asyncio.get_running_loop().run_in_executor(None, _page_of, file)
        except Error as error:
            self.set_status(422)
            self.set_header("Content-Type", "text/plain; charset=UTF-8")
            self.finish(f"memviz: {error}".replace(file, path))
        else:
            self.finish(page)

    async def _file_of(self, path: str) -> str:
        """Returns the file that the server's own rules allow for this path: below its folder, and not hidden."""
        if not isinstance(self.contents_manager, FileManagerMixin):
            raise web.HTTPError(501, "memviz opens files of the server's own file system")
        manager: Any = self.contents_manager
        # is_hidden() refuses what is outside of the folder, except in versions that take "/home/ab" for a part of "/home/a".
        if ".." in path.split("/"):
            raise web.HTTPError(404, "this path is outside of the server's folder")
        try:
            is_hidden = await ensure_async(manager.is_hidden(path))
        except OSError as error:  # a loop of links, or a name that is too long
            raise web.HTTPError(404, f"this path cannot be opened: {error.strerror}") from error
        if is_hidden and not manager.allow_hidden:
            raise web.HTTPError(404, "this file is hidden")
        file: str = to_os_path(ApiPath(path), os.path.abspath(manager.root_dir))
        if not os.path.isfile(file):
            raise web.HTTPError(404, "there is no such file")
        return file


def _page_of(file: str) -> str:
    return view(file).html


def _jupyter_server_extension_points() -> "list[dict[str, str]]":
    return [{"module": __name__}]


def _load_jupyter_server_extension(app: Any) -> None:
    warnings.simplefilter("ignore", SnapshotWarning)  # the page shows them itself
    app.web_app.add_handlers(".*$", [(url_path_join(app.web_app.settings["base_url"], "memviz/view/(.*)"), ViewHandler)])
