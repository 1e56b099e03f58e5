import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.JSON;
import org.openapitools.client.api.UsersApi;
import org.openapitools.client.model.ListedUser;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.User;
import org.openapitools.client.model.UserInput;
import org.openapitools.client.model.UserPatch;

public class Main {
    private static final Pattern NEXT = Pattern.compile("after=([^&>]+)[^>]*>; rel=\"next\"");

    public static void main(String[] args) throws Exception {
        UsersApi api = new UsersApi(new ApiClient().setBasePath(args[0]));
        UserInput input = new UserInput().name("Ada").email("ada@example.com");
        input.putAdditionalProperty("department", "engines");
        User ada = api.createUser(input, null);
        for (String name : List.of("Grace", "Linus")) api.createUser(new UserInput().name(name), null);
        User read = api.readUser(ada.getId(), null);
        User updated = api.updateUser(ada.getId(), new UserPatch().name("Ada King"), "\"1\"");
        List<Integer> pages = new ArrayList<>();
        for (String after = null; ; ) {
            ApiResponse<List<ListedUser>> page = api.listUsersWithHttpInfo(2L, after, null, null, null, null, null, null);
            pages.add(page.getData().size());
            Matcher next = NEXT.matcher(String.join("", page.getHeaders().getOrDefault("Link", page.getHeaders().getOrDefault("link", List.of()))));
            if (!next.find()) break;
            after = next.group(1);
        }
        api.deleteUser(ada.getId(), null, null);
        String problem = "";
        try {
            api.readUser(ada.getId(), null);
        } catch (ApiException error) {
            problem = JSON.getGson().fromJson(error.getResponseBody(), Problem.class).getType();
        }
        System.out.println(JSON.getGson().toJson(Map.of(
            "read", read.getEmail(), "department", read.getAdditionalProperty("department"),
            "version", updated.getVersion(), "pages", pages, "problem", problem)));
    }
}
