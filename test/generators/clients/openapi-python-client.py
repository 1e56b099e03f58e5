import json, re, sys
from roster.client import Client
from roster.api.users import create_user, delete_user, list_users, read_user, update_user
from roster.models import Problem, User, UserInput, UserPatch
from roster.types import UNSET


def user(result):
    if not isinstance(result, User):
        raise Exception(result)
    return result


client = Client(base_url=sys.argv[1])
body = UserInput(name="Ada", email="ada@example.com")
body["department"] = "engines"
ada = user(create_user.sync(client=client, body=body))
for name in ["Grace", "Linus"]:
    user(create_user.sync(client=client, body=UserInput(name=name)))
read = user(read_user.sync(ada.id, client=client))
updated = user(update_user.sync(ada.id, client=client, body=UserPatch(name="Ada King"), if_match='"1"'))
pages, after = [], UNSET
while True:
    page = list_users.sync_detailed(client=client, limit=2, after=after)
    pages.append(len(page.parsed))
    following = re.search(r'after=([^&>]+)[^>]*>; rel="next"', page.headers.get("Link", ""))
    if not following:
        break
    after = following[1]
delete_user.sync_detailed(ada.id, client=client)
problem = read_user.sync(ada.id, client=client)
print(json.dumps({"read": read.email, "department": read["department"], "version": updated.version, "pages": pages, "problem": problem.type_ if isinstance(problem, Problem) else None}))
